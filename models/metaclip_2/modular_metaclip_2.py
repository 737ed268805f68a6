# Part of the modular project, under the Apache License 2.0.
"""MetaCLIP 2: CLIP trained on the whole world's texts. The end of a text is where its configuration says"""

import torch

from transformers.masking_utils import create_causal_mask
from transformers.modeling_outputs import BaseModelOutputWithPooling

from ..clip.configuration_clip import CLIPConfig, CLIPTextConfig, CLIPVisionConfig
from ..clip.modeling_clip import CLIPModel, CLIPPreTrainedModel, CLIPTextModel, CLIPVisionModel


# The generated file has it, though nothing below needs it.
_CONFIG_FOR_DOC = "MetaClip2Config"


class MetaClip2TextConfig(CLIPTextConfig):
    pass


class MetaClip2VisionConfig(CLIPVisionConfig):
    pass


class MetaClip2Config(CLIPConfig):
    model_type = "metaclip_2"


class MetaClip2PreTrainedModel(CLIPPreTrainedModel):
    pass


class MetaClip2TextModel(CLIPTextModel):
    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
        **kwargs,
    ):
        hidden_states = self.embeddings(input_ids, position_ids)
        mask = create_causal_mask(
            self.config, inputs_embeds=hidden_states, attention_mask=attention_mask, past_key_values=None
        )
        hidden_states = self.final_layer_norm(self.encoder(hidden_states, mask, is_causal=True, **kwargs))
        is_end = (input_ids == self.eos_token_id).int()
        rows = torch.arange(len(hidden_states), device=hidden_states.device)
        pooled = hidden_states[rows, is_end.argmax(dim=-1)]
        return BaseModelOutputWithPooling(last_hidden_state=hidden_states, pooler_output=pooled)


class MetaClip2VisionModel(CLIPVisionModel):
    pass


class MetaClip2Model(CLIPModel):
    pass


__all__ = [
    "MetaClip2Config",
    "MetaClip2Model",
    "MetaClip2PreTrainedModel",
    "MetaClip2TextConfig",
    "MetaClip2TextModel",
    "MetaClip2VisionConfig",
    "MetaClip2VisionModel",
]
