# Part of the modular project, under the Apache License 2.0.
"""Llama tokenizer: byte-pair encoding where a space is a visible sign and an unknown sign is its bytes"""

from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE

from transformers.tokenization_utils_tokenizers import TokenizersBackend


VOCAB_FILES_NAMES = {"vocab_file": "tokenizer.model", "tokenizer_file": "tokenizer.json"}
SPACE = "▁"


class LlamaTokenizer(TokenizersBackend):
    """Words may begin with a space: `add_prefix_space` puts one before the text too."""

    vocab_files_names = VOCAB_FILES_NAMES
    padding_side = "left"
    model_input_names = ["input_ids", "attention_mask"]
    model = BPE

    def __init__(
        self,
        vocab: dict[str, int] | None = None,
        merges: list | None = None,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        add_prefix_space: bool | None = None,
        legacy: bool = False,
        **kwargs,
    ):
        self.add_prefix_space = add_prefix_space is not False
        self.legacy = legacy
        self._vocab = vocab or {str(token): i for i, token in enumerate((unk_token, bos_token, eos_token))}
        self._merges = merges or []
        self._tokenizer = Tokenizer(BPE(self._vocab, self._merges, fuse_unk=True, byte_fallback=True))
        self._tokenizer.pre_tokenizer = self.get_pre_tokenizer()
        self._tokenizer.decoder = self.get_decoder()
        super().__init__(
            unk_token=unk_token,
            bos_token=bos_token,
            eos_token=eos_token,
            add_prefix_space=add_prefix_space,
            **kwargs,
        )

    @property
    def prepend_scheme(self) -> str:
        """When a space is put before the text: always, only at its very beginning, or never."""
        if not self.add_prefix_space:
            return "never"
        return "always" if self.legacy else "first"

    @prepend_scheme.setter
    def prepend_scheme(self, value):
        self.add_prefix_space, self.legacy = value != "never", value == "always"

    def get_pre_tokenizer(self):
        return pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme=self.prepend_scheme, split=False)

    def get_decoder(self):
        steps = [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
        if self.prepend_scheme != "never":
            steps.append(decoders.Strip(content=" ", left=1))
        return decoders.Sequence(steps)


__all__ = ["LlamaTokenizer"]
