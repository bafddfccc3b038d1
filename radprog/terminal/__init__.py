"""The terminal: parsers, the options that commands share, and what is printed."""
