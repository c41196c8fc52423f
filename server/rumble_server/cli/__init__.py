"""The command line, `rumble`: one module per command, imported when its command is used."""
