"""The older model is the parent: by copy comments, dates, years or names."""

import pytest

from modular.infer.ages import ModelAges
from modular.infer.index import read_index
from modular.project.opening import open_project
from tests.repository import Repository
from tests.support import write_project


def path_of(model: str) -> str:
    return f"models/{model}/modeling_{model}.py"


def model_file(model: str, heading: str = "", comment: str = "") -> str:
    return f"{heading}\n\nimport torch\n\n{comment}\nclass {model.title()}Norm:\n    size = 1\n"


@pytest.fixture
def younger(tmp_path):
    """The names of the models that are younger than `bert`."""

    def run(files: dict[str, str]) -> set[str]:
        write_project(tmp_path, files)
        index = read_index(open_project(tmp_path), None)
        folders = ModelAges(index).younger_than("models/bert")
        return {folder.removeprefix("models/") for folder in folders}

    return run


def test_a_model_with_copies_of_another_one_is_younger(younger):
    comment = "# Copied from lib.models.bert.modeling_bert.BertNorm with Bert->Roc"
    files = {
        path_of("bert"): model_file("bert"),
        path_of("roc"): model_file("roc", comment=comment),
        path_of("other"): model_file("other"),
    }
    assert younger(files) == {"roc"}


def test_a_copied_method_counts(younger):
    method = (
        "    # Copied from models.bert.modeling_bert.BertNorm.run\n"
        "    def run(self):\n        return 1\n"
    )
    files = {
        path_of("bert"): model_file("bert"),
        path_of("roc"): model_file("roc") + method,
    }
    assert younger(files) == {"roc"}


def test_of_two_models_with_copies_of_each_other_the_one_with_more_is_younger(younger):
    roc = model_file("roc", comment="# Copied from models.bert.modeling_bert.BertNorm")
    roc += "\n\n# Copied from models.bert.modeling_bert.run\ndef run():\n    return 1\n"
    comment = "# Copied from models.roc.modeling_roc.RocNorm"
    files = {
        path_of("bert"): model_file("bert", comment=comment),
        path_of("roc"): roc,
    }
    assert younger(files) == {"roc"}


def test_comments_come_before_years(younger):
    comment = "# Copied from models.roc.modeling_roc.RocNorm"
    files = {
        path_of("bert"): model_file("bert", "# Copyright 2018", comment),
        path_of("roc"): model_file("roc", "# Copyright 2022"),
        path_of("gpt"): model_file("gpt", "# Copyright 2019"),
        path_of("old"): model_file("old", "# Copyright 2017"),
        path_of("same"): model_file("same", "# Copyright 2018"),
        path_of("unknown"): model_file("unknown"),
    }
    assert younger(files) == {"gpt"}


def test_a_model_whose_name_is_longer_is_younger_if_no_date_tells(younger):
    files = {
        path_of("bert"): model_file("bert"),
        path_of("bert_moe"): model_file("bert_moe"),
        path_of("berta"): model_file("berta"),
    }
    assert younger(files) == {"bert_moe"}


def test_the_first_commit_tells_which_model_is_older(younger, tmp_path):
    repository = Repository(tmp_path)
    repository.git("init", "--quiet")
    for year, model in enumerate(("old", "bert", "roc"), start=2020):
        write_project(tmp_path, {path_of(model): model_file(model)})
        repository.git("add", "--all")
        date = {"GIT_COMMITTER_DATE": f"{year}-01-01T00:00:00Z"}
        repository.run(["git", "commit", "--quiet", "--message", "a"], variables=date)

    assert younger({}) == {"roc"}


def test_nothing_is_younger_than_a_new_model(younger):
    files = {path_of("roc"): model_file("roc", "# Copyright 2022")}
    assert younger(files) == set()
