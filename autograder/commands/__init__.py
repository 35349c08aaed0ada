"""The commands. A docstring is a command's help; what a command needs it imports when it runs."""
