"""A module for each command, imported on its use."""
