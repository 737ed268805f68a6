"""Sources as text: a cheap scan, statements with spans, and LibCST only where a rule asks for a tree."""
