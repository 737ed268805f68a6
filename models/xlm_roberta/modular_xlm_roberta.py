# Part of the modular project, under the Apache License 2.0.
"""XLM-RoBERTa: RoBERTa for a hundred languages. Its parent is itself generated"""

from ..roberta.configuration_roberta import RobertaConfig
from ..roberta.modeling_roberta import (
    RobertaForMaskedLM,
    RobertaLMHead,
    RobertaModel,
    RobertaPreTrainedModel,
)


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


__all__ = ["XLMRobertaConfig", "XLMRobertaForMaskedLM", "XLMRobertaModel", "XLMRobertaPreTrainedModel"]
