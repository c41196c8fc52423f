"""The live feed of a tournament's changes."""
