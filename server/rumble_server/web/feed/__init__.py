"""The live feed: what changes, told to every reader."""
