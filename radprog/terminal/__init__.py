"""The terminal: parsers, common options of the commands, and output."""
