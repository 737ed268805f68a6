"""The benchmark: `python -m bench` measures what `BENCHMARKS.md` says. It is no test."""
