"""Set up a project (`init`) and start a model (`new`)."""
