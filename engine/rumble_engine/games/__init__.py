"""The games that come with Rumble, a module or a folder for each game."""
