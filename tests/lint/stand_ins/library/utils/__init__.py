"""What models of a library share."""


class ModelOutput:
    """The base class of outputs."""


def auto_docstring(decorated=None, **options):
    return decorated or (lambda inner: inner)
