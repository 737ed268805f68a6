"""From a generated line back to where it comes from."""
