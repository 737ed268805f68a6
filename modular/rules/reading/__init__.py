"""What is read from modular files and parent files, and merged."""
