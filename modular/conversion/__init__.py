"""One modular file to its output files, unformatted, with origins, and what is looked at afterwards."""
