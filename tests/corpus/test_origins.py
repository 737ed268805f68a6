"""Every statement of an output file knows where it came from."""

from pathlib import Path

import modular
from modular.flatten.outputs import OutputFile, Renaming
from modular.source.source_slice import Origin


LLAMA = "src/transformers/models/llama/modeling_llama.py"
OLMO = "src/transformers/models/olmo/modeling_olmo.py"
OLMO2 = "src/transformers/models/olmo2/modular_olmo2.py"


def line_of(corpus: Path, path: str, text: str) -> int:
    """The line of a file that begins with some text, found by looking."""
    lines = (corpus / path).read_text(encoding="utf-8").splitlines()
    return next(
        number for number, line in enumerate(lines, start=1) if line.startswith(text)
    )


def line_in_class(corpus: Path, path: str, name: str, text: str) -> int:
    lines = (corpus / path).read_text(encoding="utf-8").splitlines()
    start = line_of(corpus, path, f"class {name}(")
    return next(
        number
        for number, line in enumerate(lines, start=1)
        if number > start and line.startswith(text)
    )


def trace_modeling(corpus: Path) -> OutputFile:
    files = modular.trace("olmo2", options=modular.Options(root=corpus)).files
    return next(file for file in files if file.file_type == "modeling")


def origins(corpus: Path, name: str, member: str) -> list[Origin]:
    return [code.origin for code in trace_modeling(corpus).find(name, member)]


def test_the_code_of_a_parent_file_is_renamed(corpus: Path) -> None:
    renamings = trace_modeling(corpus).renamings
    assert renamings[LLAMA] == Renaming("llama", "olmo2")
    assert OLMO2 not in renamings


def test_an_inherited_method_leads_to_the_parent_file(corpus: Path) -> None:
    """`Olmo2RMSNorm.extra_repr` is written in the Llama modeling file only."""
    (origin,) = origins(corpus, "Olmo2RMSNorm", "extra_repr")
    start = line_in_class(corpus, LLAMA, "LlamaRMSNorm", "    def extra_repr(self):")
    assert origin.path == LLAMA
    assert origin.first_line <= start <= origin.last_line == start + 1


def test_an_override_leads_to_the_modular_file(corpus: Path) -> None:
    """`Olmo2RMSNorm.forward` is written in the modular file."""
    start = line_in_class(
        corpus, OLMO2, "Olmo2RMSNorm", "    def forward(self, hidden_states):"
    )
    line_origins = origins(corpus, "Olmo2RMSNorm", "forward")
    own = [origin for origin in line_origins if origin.path == OLMO2]
    assert own[0].first_line == start
    assert own[-1].last_line == start + 5


def test_a_merged_method_leads_to_both(corpus: Path) -> None:
    """`Olmo2Attention.__init__` is the parent's body, with two assignments of the modular behind it."""
    line_origins = origins(corpus, "Olmo2Attention", "__init__")
    q_proj = line_in_class(
        corpus, OLMO, "OlmoAttention", "        self.q_proj = nn.Linear("
    )
    q_norm = line_in_class(corpus, OLMO2, "Olmo2Attention", "        self.q_norm = ")
    assert any(
        origin.path == OLMO and origin.first_line <= q_proj <= origin.last_line
        for origin in line_origins
    )
    assert any(
        origin.path == OLMO2
        and (origin.first_line, origin.last_line) == (q_norm, q_norm)
        for origin in line_origins
    )
