"""Each command: a module that is named as what it does, or as the command."""
