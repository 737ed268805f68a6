"""Rules about what was generated: a flattened model can be wrong though each rule of the language was applied as written."""
