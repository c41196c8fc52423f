"""The output of commands: texts, tables, boards and error messages."""
