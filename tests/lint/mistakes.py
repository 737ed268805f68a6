"""Makes modular files with one mistake each, of more than fifty kinds, from a random correct one."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.support import source


PARENT_FILES = {
    "models/llama/modeling_llama.py": source("""
        from dataclasses import dataclass

        from ...integrations import use_kernel_forward_from_hub
        from .configuration_llama import LlamaConfig


        LIMIT = 4


        def rotate(x):
            return [x, "rotated"]


        def scale_all(x):
            return [x, "scaled"]


        class LlamaNorm:
            eps = 1e-6

            def __init__(self, config):
                self.weight = config.hidden_size
                self.offset = 1

            def forward(self, x):
                return [self.weight, x]

            def reset(self):
                self.weight = 0


        class LlamaMLP:
            scale = 2
            _no_split = ["up_proj"]

            def __init__(self, config, bias=False):
                self.up_proj = config.intermediate_size
                self.down_proj = config.hidden_size
                self.act_fn = "silu"
                self.bias = bias

            def forward(self, x, residual=None):
                x = [self.up_proj, x]
                return [self.down_proj, x, residual]

            def prune(self, amount):
                self.up_proj = amount

            def describe(self):
                return self.act_fn


        class LlamaCounter:
            def __init__(self, config):
                self.steps = 0
                self.size = config.size
                self.steps += self.size

            def step(self, amount=1):
                if amount < 0:
                    return
                self.steps += amount

            def grow(self, amount):
                self.size += amount

            def reset(self, amount=0):
                amount = amount or 1
                self.steps = amount


        def shift(x):
            return [x, "shifted"]


        @dataclass
        class LlamaResult:
            loss: int = 0


        @use_kernel_forward_from_hub("Kernel")
        class LlamaKernel:
            def forward(self, x):
                return x


        class LlamaPart:
            def __init__(self, config):
                self.config = config


        class LlamaWhole:
            def __init__(self, config):
                self.part = LlamaPart(config)

            def divide(self):
                return 1, 2

            def measure(self, size=1):
                return size

            def forward(self, x):
                first, second = self.divide()
                return [first, second, self.measure(size=x)]


        class LlamaHead:
            limit = LIMIT

            def __init__(self, config: LlamaConfig):
                self.size = config.size

            def forward(self, x):
                return rotate(x)


        class LlamaConfigured:
            def __init__(self, config: LlamaConfig):
                self.width = config.width
        """),
    "models/llama/configuration_llama.py": source("""
        class LlamaConfig:
            model_type = "llama"
            size: int = 4
            width: int = 8
            depth: int = 2
        """),
    "models/bert/modeling_bert.py": source("""
        def shift(x):
            return [x, 1]


        class BertPooler:
            def __init__(self, config):
                self.dense = config.hidden_size

            def forward(self, x):
                return [self.dense, x]


        class BertEmbeddings:
            def forward(self, ids, mask=None):
                return [ids, mask]
        """),
}


@dataclass
class Draft:
    """A correct modular file that a mistake is put into.

    Attributes:
        cased: The model's name as classes begin with it.
        model: The model's name.
        imports: The import statements.
        classes: The text of each class, by the name without the model's.
    """

    cased: str
    model: str
    imports: dict[str, list[str]]
    classes: dict[str, str]

    def text(self) -> str:
        """Return the modular file."""
        imports = "".join(
            f"from ..{module} import {', '.join(sorted(set(names)))}\n"
            for module, names in sorted(self.imports.items())
            if names
        )
        return "\n\n".join(
            [imports, *(f"\n{text}" for text in self.classes.values())]
        ).replace("\n\n\n\n", "\n\n\n")


LLAMA = "llama.modeling_llama"
CONFIGURATION = "llama.configuration_llama"
BERT = "bert.modeling_bert"


def correct_file(random: Random, model: str) -> Draft:
    """Return a correct modular file: a configuration and one to three classes."""
    cased = model.capitalize()
    draft = Draft(cased, model, {CONFIGURATION: ["LlamaConfig"]}, {})
    size = random.randrange(2, 99)
    draft.classes["Config"] = (
        f"class {cased}Config(LlamaConfig):\n    size: int = {size}\n"
    )
    bodies = {
        "Norm": [
            "    pass\n",
            f"    eps = {random.randrange(1, 9)}\n",
            "    def forward(self, x):\n        return [x, self.weight]\n",
        ],
        "Pooler": [
            "    pass\n",
            f"    def spread(self, x):\n        return [x] * {random.randrange(2, 5)}\n",
            "    def forward(self, x):\n        x = [x, 1]\n        return super().forward(x)\n",
        ],
        "Embeddings": [
            "    pass\n",
            "    def count(self):\n        return 3\n",
        ],
    }
    names = random.sample(sorted(bodies), random.randrange(1, 4))
    for name in names:
        family, module = ("Llama", LLAMA) if name == "Norm" else ("Bert", BERT)
        body = random.choice(bodies[name])
        draft.imports.setdefault(module, []).append(f"{family}{name}")
        draft.classes[name] = f"class {cased}{name}({family}{name}):\n{body}"
    return draft


Mistake = Callable[[Draft, Random], None]
MISTAKES: dict[str, Mistake] = {}


def mistake(function: Mistake) -> Mistake:
    """Register a kind of mistake."""
    MISTAKES[function.__name__] = function
    return function


def add_class(draft: Draft, name: str, body: str, parent: str = "") -> None:
    """Add a class that inherits from a class of llama."""
    parent = parent or f"Llama{name}"
    draft.imports.setdefault(LLAMA, []).append(parent)
    draft.classes[name] = f"class {draft.cased}{name}({parent}):\n{body}"


def add_mlp(draft: Draft, body: str) -> None:
    """Add the class on which most mistakes are made."""
    add_class(draft, "MLP", body)


def add_import(draft: Draft, line: str) -> None:
    """Add an import that is no model import."""
    draft.classes = {line: f"{line}\n", **draft.classes}


def misspell(random: Random, word: str) -> str:
    """Return a word with two neighbouring letters exchanged, one left out, or one doubled."""
    while True:
        at = random.randrange(1, len(word) - 1)
        kind = random.randrange(3)
        if kind == 0:
            wrong = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        elif kind == 1:
            wrong = word[:at] + word[at + 1 :]
        else:
            wrong = word[:at] + word[at] + word[at:]
        if wrong != word:
            return wrong


def random_lines(random: Random, indent: str = "        ") -> str:
    """Return some statements that change nothing else."""
    lines = ["note = 1", "# a comment", "pair = (1, 2)", 'text = """a\nb"""']
    return "".join(
        f"{indent}{line}\n" for line in random.sample(lines, random.randrange(3))
    )


@mistake
def misspelt_parent(draft: Draft, random: Random) -> None:
    wrong = "Llama" + misspell(random, random.choice(["Configured", "Head"]))
    add_class(draft, "Extra", "    pass\n", wrong)


@mistake
def misspelt_model(draft: Draft, random: Random) -> None:
    wrong = misspell(random, "llama")
    draft.imports[f"{wrong}.modeling_{wrong}"] = ["LlamaMLP"]
    draft.classes["MLP"] = f"class {draft.cased}MLP(LlamaMLP):\n    pass\n"


@mistake
def misspelt_file(draft: Draft, random: Random) -> None:
    draft.imports[f"llama.{misspell(random, 'modeling')}_llama"] = ["LlamaMLP"]
    draft.classes["MLP"] = f"class {draft.cased}MLP(LlamaMLP):\n    scale = 3\n"


@mistake
def configuration_of_the_modeling_file(draft: Draft, random: Random) -> None:
    draft.imports = {
        LLAMA: [*draft.imports.get(LLAMA, []), "LlamaConfig"],
        **{
            module: names
            for module, names in draft.imports.items()
            if module not in (LLAMA, CONFIGURATION)
        },
    }


@mistake
def import_of_everything(draft: Draft, random: Random) -> None:
    add_class(draft, "Head", "    pass\n")
    draft.imports[LLAMA] = ["*"]


@mistake
def wrong_parent_file(draft: Draft, random: Random) -> None:
    draft.imports.setdefault(BERT, []).append("LlamaMLP")
    draft.imports.setdefault(LLAMA, []).append("LlamaHead")
    draft.classes["MLP"] = (
        f"class {draft.cased}MLP(LlamaMLP):\n    scale = {random.randrange(9)}\n"
    )
    draft.classes["Head"] = f"class {draft.cased}Head(LlamaHead):\n    pass\n"


@mistake
def two_parents(draft: Draft, random: Random) -> None:
    draft.imports.setdefault(BERT, []).append("BertPooler")
    add_class(draft, "MLP", "    pass\n")
    parents = random.sample(["LlamaMLP", "BertPooler"], 2)
    draft.classes["MLP"] = (
        f"class {draft.cased}MLP({', '.join(parents)}):\n    kind = 1\n"
    )


@mistake
def other_capitals(draft: Draft, random: Random) -> None:
    wrong = random.choice(["LLama", "LLAMA", "LlAma"])
    add_class(draft, "MLP", "    pass\n", f"{wrong}MLP")


@mistake
def deleted_nothing(draft: Draft, random: Random) -> None:
    wrong = misspell(random, random.choice(["up_proj", "down_proj", "act_fn"]))
    lines = random_lines(random)
    add_mlp(
        draft,
        f"    def __init__(self, config, bias=False):\n        super().__init__(config, bias)\n{lines}        del self.{wrong}\n",
    )


@mistake
def deleted_class_attribute(draft: Draft, random: Random) -> None:
    add_mlp(
        draft,
        "    def __init__(self, config, bias=False):\n        super().__init__(config, bias)\n        del self._no_split\n",
    )


@mistake
def deleted_and_read(draft: Draft, random: Random) -> None:
    name = random.choice(["down_proj", "act_fn"])
    add_mlp(
        draft,
        f"    def __init__(self, config, bias=False):\n        super().__init__(config, bias)\n        del self.{name}\n        self.extra = {random.randrange(9)}\n",
    )


@mistake
def deleted_before_the_call(draft: Draft, random: Random) -> None:
    name = random.choice(["bias"])
    lines = random_lines(random)
    add_mlp(
        draft,
        f"    def __init__(self, config, bias=False):\n{lines}        del self.{name}\n        super().__init__(config, bias)\n",
    )


@mistake
def removed_unknown_attribute(draft: Draft, random: Random) -> None:
    add_mlp(
        draft, f"    {misspell(random, 'scale')} = AttributeError()\n    kind = 1\n"
    )


@mistake
def removed_unknown_method(draft: Draft, random: Random) -> None:
    wrong = random.choice(["train_all", "export", "merge"])
    add_mlp(
        draft,
        f'    kind = 1\n\n    def {wrong}(self):\n        raise AttributeError("not here")\n',
    )


@mistake
def raising_in_another_form(draft: Draft, random: Random) -> None:
    before = random.choice(["", "\n\n", "\n    # Gone.\n"])
    add_mlp(
        draft,
        f'    kind = 1\n{before}    def describe(self):\n        raise AttributeError("not here")\n',
    )


@mistake
def error_that_is_not_called(draft: Draft, random: Random) -> None:
    add_mlp(draft, f"    {random.choice(['scale', '_no_split'])} = AttributeError\n")


@mistake
def two_prefixes(draft: Draft, random: Random) -> None:
    draft.imports.setdefault(LLAMA, []).append("LlamaMLP")
    draft.imports[LLAMA] += ["LlamaHead"]
    cased = draft.cased
    draft.classes["MLP"] = f"class {cased}TextMLP(LlamaMLP):\n    pass\n"
    draft.classes["Head"] = f"class {cased}Head(LlamaHead):\n    pass\n"


@mistake
def parent_under_its_old_name(draft: Draft, random: Random) -> None:
    add_class(
        draft,
        "Configured",
        f"    def build(self, config):\n{random_lines(random)}        return LlamaMLP(config)\n",
    )
    draft.imports[LLAMA].append("LlamaMLP")
    if random.randrange(2):
        draft.classes["MLP"] = f"class {draft.cased}MLP(LlamaMLP):\n    pass\n"


@mistake
def parent_under_the_name_of_another(draft: Draft, random: Random) -> None:
    draft.imports.setdefault(LLAMA, []).append("LlamaConfigured")
    draft.imports[BERT] = ["BertPooler"]
    draft.classes = {"Config": draft.classes["Config"]}
    draft.imports[LLAMA] = ["LlamaHead"]
    cased = draft.cased
    draft.classes["Pooler"] = (
        f"class {cased}Pooler(LlamaHead):\n    def make(self, config):\n        return BertPooler(config)\n"
    )


@mistake
def misspelt_function(draft: Draft, random: Random) -> None:
    name = random.choice(["double_size", "halve_size"])
    draft.classes["function"] = f"def {name}(x):\n    return [x, 2]\n"
    add_mlp(
        draft,
        f"    def describe(self):\n        return {name}({misspell(random, name)}(1))\n",
    )


@mistake
def super_kwargs_in_a_call(draft: Draft, random: Random) -> None:
    add_mlp(
        draft,
        "    def prune(self, **super_kwargs):\n        return dict(**super_kwargs)\n",
    )


@mistake
def call_of_the_parent_by_its_name(draft: Draft, random: Random) -> None:
    method = random.choice(["prune(self, 3)", "describe(self)"])
    add_mlp(
        draft,
        f"    def forward(self, x, residual=None):\n        LlamaMLP.{method}\n        return [x, residual]\n",
    )


@mistake
def old_name_of_an_attribute(draft: Draft, random: Random) -> None:
    add_mlp(
        draft,
        f"    def describe(self):\n        return self.is_Llama{random.choice(['Model', 'MLP', 'Thing'])}\n",
    )


@mistake
def super_of_another_method(draft: Draft, random: Random) -> None:
    add_mlp(
        draft,
        f"    def grow(self, amount):\n{random_lines(random)}        return [super().prune(amount), 1]\n",
    )


@mistake
def dropped_argument(draft: Draft, random: Random) -> None:
    value = random.choice(["[x, 3]", "-7", "(x,\n            1)", "self.act_fn"])
    keyword = random.choice(["", "x="])
    add_mlp(
        draft,
        f"    def forward(self, x, residual=None):\n{random_lines(random)}        return super().forward({keyword}{value}, residual=residual)\n",
    )


@mistake
def dropped_default(draft: Draft, random: Random) -> None:
    add_mlp(
        draft,
        f"    def __init__(self, config, bias=False):\n        super().__init__(config, bias={random.choice(['True', '3', 'not bias'])})\n        self.extra = 1\n",
    )


@mistake
def unreachable(draft: Draft, random: Random) -> None:
    count = random.randrange(1, 4)
    lines = "".join(
        f"        self.calls{number} = {number}\n" for number in range(count)
    )
    add_mlp(draft, f"    def describe(self):\n        super().describe()\n{lines}")


@mistake
def missing_parameter(draft: Draft, random: Random) -> None:
    add_mlp(draft, "    def prune(self):\n        return super().prune(3)\n")


@mistake
def wrong_model_type(draft: Draft, random: Random) -> None:
    draft.classes["Config"] = (
        f"class {draft.cased[:-1]}X{draft.cased[-1]}Config(LlamaConfig):\n    pass\n"
    )


@mistake
def no_configuration(draft: Draft, random: Random) -> None:
    del draft.imports[CONFIGURATION], draft.classes["Config"]
    add_class(draft, random.choice(["Head", "Configured"]), "    pass\n")


@mistake
def misspelt_configuration(draft: Draft, random: Random) -> None:
    draft.classes["Config"] = (
        f'class {draft.cased}Conifg(LlamaConfig):\n    model_type = "{draft.model}"\n'
    )
    add_class(draft, random.choice(["Head", "Configured"]), "    pass\n")


@mistake
def no_annotation(draft: Draft, random: Random) -> None:
    draft.classes["Config"] = (
        f"class {draft.cased}Config(LlamaConfig):\n    {random.choice(['size', 'width', 'depth'])} = {random.randrange(99)}\n"
    )


@mistake
def removed_setting(draft: Draft, random: Random) -> None:
    name, reader = random.choice([("size", "Head"), ("width", "Configured")])
    more = random.choice(["", "    depth: int = 3\n"])
    draft.classes["Config"] = (
        f"class {draft.cased}Config(LlamaConfig):\n{more}    {name} = AttributeError()\n"
    )
    add_class(draft, reader, "    pass\n")


@mistake
def unused_function(draft: Draft, random: Random) -> None:
    lead = random.choice(["", "# Twice.\n"])
    text = f"{lead}def {random.choice(['twice', 'helper'])}(x):\n    return 2 * x\n"
    draft.classes = {"function": text, **draft.classes}


@mistake
def function_that_is_almost_the_parents(draft: Draft, random: Random) -> None:
    draft.classes["function"] = (
        f"def {misspell(random, 'rotate')}(x):\n    return [x, 0]\n"
    )
    add_class(draft, "Head", "    pass\n")


@mistake
def assignment_of_the_parent(draft: Draft, random: Random) -> None:
    draft.classes["value"] = f"LIMIT = {random.randrange(5, 99)}\n"
    add_class(draft, "Head", "    pass\n")


@mistake
def unused_import(draft: Draft, random: Random) -> None:
    draft.imports.setdefault(BERT, []).append("BertEmbeddings")
    draft.classes.pop("Embeddings", None)


@mistake
def forgotten_base(draft: Draft, random: Random) -> None:
    draft.imports.setdefault(LLAMA, []).append("LlamaMLP")
    draft.classes["MLP"] = (
        f"class {draft.cased}MLP:\n    def forward(self, x, residual=None):\n        return [residual, x]\n"
    )


@mistake
def redundant_method(draft: Draft, random: Random) -> None:
    more = random.choice(["", "    kind = 1\n\n"])
    note = random.choice(["", "        # The same.\n"])
    add_mlp(draft, f"{more}    def describe(self):\n{note}        return self.act_fn\n")


@mistake
def misspelt_method(draft: Draft, random: Random) -> None:
    name = random.choice(["forward", "describe"])
    at = random.randrange(1, len(name) - 1)
    add_mlp(
        draft,
        f"    def {name[:at]}{name[at + 1 :]}(self, x=1, residual=None):\n        return [x, residual]\n",
    )


@mistake
def misspelt_attribute(draft: Draft, random: Random) -> None:
    name = random.choice(["up_porj", "up_prooj", "down_prj", "dwon_proj"])
    add_mlp(
        draft,
        f"    def describe(self):\n{random_lines(random)}        return self.{name}\n",
    )


@mistake
def misspelt_setting(draft: Draft, random: Random) -> None:
    name = random.choice(["widht", "dpeth", "depht"])
    add_class(
        draft,
        "Norm",
        f"    def build(self, config):\n        return config.{name}\n",
    )


@mistake
def required_argument(draft: Draft, random: Random) -> None:
    add_class(
        draft,
        "Part",
        f"    def __init__(self, config, depth):\n{random_lines(random)}        self.depth = depth\n",
    )
    add_class(draft, "Whole", "    pass\n")


@mistake
def other_keyword(draft: Draft, random: Random) -> None:
    add_class(
        draft,
        "Whole",
        f"    def measure(self, {random.choice(['length', 'width'])}=1):\n        return 3\n",
    )


@mistake
def function_with_other_parameters(draft: Draft, random: Random) -> None:
    draft.classes["function"] = "def rotate(x, angle):\n    return [x, angle]\n"
    add_class(draft, "Head", "    pass\n")


@mistake
def more_returned_values(draft: Draft, random: Random) -> None:
    more = ", 3" * random.randrange(1, 3)
    add_class(draft, "Whole", f"    def divide(self):\n        return 1, 2{more}\n")


@mistake
def name_of_two_files(draft: Draft, random: Random) -> None:
    for module in random.sample([LLAMA, BERT], 2):
        draft.imports.setdefault(module, []).append("shift")
    add_mlp(draft, "    def describe(self):\n        return shift(1)\n")


@mistake
def decorator_instead_of_dataclass(draft: Draft, random: Random) -> None:
    add_import(draft, "from typing import final")
    add_class(draft, "Result", f"    score: int = {random.randrange(9)}\n")
    draft.classes["Result"] = "@final\n" + draft.classes["Result"]


@mistake
def forward_under_a_kernel(draft: Draft, random: Random) -> None:
    add_class(
        draft,
        "Kernel",
        f"    def forward(self, x):\n{random_lines(random)}        return [x, x]\n",
    )


@mistake
def needless_comment(draft: Draft, random: Random) -> None:
    draft.classes["Config"] = draft.classes["Config"].replace(
        ":\n", ":  # modular: ignore[MOD405]\n", 1
    )


@mistake
def statement_in_a_class(draft: Draft, random: Random) -> None:
    draft.classes["exports"] = (
        f'__all__ = ["{draft.cased}Config"]\n__all__ += ["{draft.cased}MLP"]\n'
    )
    add_mlp(draft, "    kind = 1\n")


@mistake
def model_without_post_init(draft: Draft, random: Random) -> None:
    cased = draft.cased
    add_import(draft, "from ...modeling_utils import PreTrainedModel")
    lines = random_lines(random)
    draft.classes["Model"] = (
        f"class {cased}Model(PreTrainedModel):\n    def __init__(self, config):\n        super().__init__(config)\n{lines}        self.size = config.size\n"
    )


@mistake
def old_name_in_a_list(draft: Draft, random: Random) -> None:
    add_class(draft, "Norm", "    pass\n")
    quote = random.choice(["'", '"'])
    add_mlp(draft, f"    _no_split = [{quote}LlamaNorm{quote}]\n")


@mistake
def misspelt_field_in_an_attribute_map(draft: Draft, random: Random) -> None:
    wrong = random.choice(["dpeth", "depht", "deppth"])
    draft.classes["Config"] = (
        f'class {draft.cased}Config(LlamaConfig):\n    attribute_map = {{"layers": "{wrong}"}}\n'
    )


@mistake
def assignment_that_is_replaced_elsewhere(draft: Draft, random: Random) -> None:
    add_class(
        draft,
        "Counter",
        f"    def start(self):\n        self.size = 1\n\n    def reset(self, amount=0):\n        super().reset(amount)\n        self.size = {random.randrange(9)}\n\n    def __init__(self, config):\n        super().__init__(config)\n        self.steps = {random.randrange(9)}\n",
    )


@mistake
def assignment_that_moves_up(draft: Draft, random: Random) -> None:
    value = random.choice(["self.size", f"{random.randrange(9)} * self.size"])
    add_class(
        draft,
        "Counter",
        f"    def __init__(self, config):\n        super().__init__(config)\n        self.steps = {value}\n",
    )


@mistake
def repeated_statement(draft: Draft, random: Random) -> None:
    add_class(
        draft,
        "Counter",
        f"    def grow(self, amount):\n        super().grow(amount)\n{random_lines(random)}        self.size += amount\n",
    )


@mistake
def statement_below_an_early_return(draft: Draft, random: Random) -> None:
    add_class(
        draft,
        "Counter",
        f"    def step(self, amount=1):\n        super().step(amount)\n{random_lines(random)}        self.is_done = True\n",
    )


@mistake
def value_that_is_lost(draft: Draft, random: Random) -> None:
    add_mlp(draft, f"    {random.choice(['scale: int', '_no_split: list'])}\n")


@mistake
def super_of_the_parent(draft: Draft, random: Random) -> None:
    add_mlp(
        draft,
        f"    def describe(self):\n{random_lines(random)}        return super(LlamaMLP, self).describe()\n",
    )


@mistake
def mixin_before_the_parent(draft: Draft, random: Random) -> None:
    add_mlp(draft, f"    kind = {random.randrange(9)}\n")
    text = draft.classes.pop("MLP")
    draft.classes["Mixin"] = (
        f"class {draft.cased}Mixin:\n    def describe(self):\n        return 'mixin'\n"
    )
    draft.classes["MLP"] = text.replace("(LlamaMLP)", f"({draft.cased}Mixin, LlamaMLP)")
