# This file is generated from models/gemma/modular_gemma.py. Do not edit it: edit modular_gemma.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import BPE

from transformers.tokenization_utils_tokenizers import TokenizersBackend


SPACE = "▁"


class GemmaTokenizer(TokenizersBackend):
    """Every space becomes a visible sign before words are split off; none is put before the text."""

    vocab_files_names = {"tokenizer_file": "tokenizer.json"}
    padding_side = "left"
    model_input_names = ["input_ids", "attention_mask"]
    model = BPE
    special_tokens = {f"{name}_token": f"<{name}>" for name in ("pad", "eos", "bos", "unk", "mask")}
    # An attribute of a property's name takes the property's place, and its setter's.
    prepend_scheme = "never"

    def __init__(self, vocab: dict[str, int] | None = None, merges: list | None = None, **kwargs):
        kwargs = self.special_tokens | kwargs
        self._vocab = vocab or {str(kwargs[name]): i for i, name in enumerate(self.special_tokens)}
        self._merges = merges or []
        self._tokenizer = Tokenizer(
            BPE(self._vocab, self._merges, fuse_unk=True, unk_token=str(kwargs["unk_token"]), byte_fallback=True)
        )
        self._tokenizer.normalizer = normalizers.Replace(" ", SPACE)
        self._tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
        self._tokenizer.decoder = self.get_decoder()
        super().__init__(**kwargs)

    def get_decoder(self):
        steps = [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
        if self.prepend_scheme != "never":
            steps.append(decoders.Strip(content=" ", left=1))
        return decoders.Sequence(steps)


__all__ = ["GemmaTokenizer"]
