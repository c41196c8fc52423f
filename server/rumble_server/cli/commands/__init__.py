"""The commands of `rumble`. Each command has a module, which is imported when the command is used."""
