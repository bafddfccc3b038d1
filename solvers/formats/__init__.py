"""Writers and readers of program files and solution files, and the names in these files."""
