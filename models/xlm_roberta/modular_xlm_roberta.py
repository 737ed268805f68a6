# Part of the modular project, under the Apache License 2.0.
"""XLM-RoBERTa: RoBERTa for a hundred languages. Its parent is itself generated"""

import torch

from transformers.modeling_outputs import MaskedLMOutput

from ..roberta.configuration_roberta import RobertaConfig
from ..roberta.modeling_roberta import RobertaForMaskedLM, RobertaLMHead, RobertaModel, RobertaPreTrainedModel


_CHECKPOINT_FOR_DOC = "FacebookAI/xlm-roberta-base"

# None means: as the parent says.
XLM_ROBERTA_START_DOCSTRING = None


class XLMRobertaConfig(RobertaConfig):
    """RoBERTa's configuration with another vocabulary: 250002 tokens in the released models."""

    model_type = "xlm-roberta"

    vocab_size: int = 30522


class XLMRobertaPreTrainedModel(RobertaPreTrainedModel):
    # Checkpoints keep their parent's name for the encoder.
    base_model_prefix = "roberta"


class XLMRobertaModel(RobertaModel):
    pass


class XLMRobertaLMHead(RobertaLMHead):
    pass


class XLMRobertaForMaskedLM(RobertaForMaskedLM):
    _tied_weights_keys = {
        "lm_head.decoder.weight": "roberta.embeddings.word_embeddings.weight",
        "lm_head.decoder.bias": "lm_head.bias",
    }

    def __init__(self, config: XLMRobertaConfig):
        XLMRobertaPreTrainedModel.__init__(self, config)
        self.roberta = XLMRobertaModel(config, add_pooling_layer=False)
        self.lm_head = XLMRobertaLMHead(config)
        self.post_init()

    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        token_type_ids: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
        inputs_embeds: torch.Tensor | None = None,
        labels: torch.Tensor | None = None,
        **kwargs,
    ) -> MaskedLMOutput:
        outputs = self.roberta(input_ids, attention_mask, token_type_ids, position_ids, inputs_embeds, **kwargs)
        logits = self.lm_head(outputs.last_hidden_state)
        loss = None
        if labels is not None:
            loss = torch.nn.functional.cross_entropy(logits.view(-1, self.config.vocab_size), labels.view(-1))
        return MaskedLMOutput(
            loss=loss, logits=logits, hidden_states=outputs.hidden_states, attentions=outputs.attentions
        )


__all__ = ["XLMRobertaConfig", "XLMRobertaForMaskedLM", "XLMRobertaModel", "XLMRobertaPreTrainedModel"]
