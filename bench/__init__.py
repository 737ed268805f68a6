"""The benchmark: `python -m bench` measures what `BENCHMARKS.md` says. It is not a test."""
