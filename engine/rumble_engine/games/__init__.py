"""The games that come with Rumble. Each game has a module or a folder."""
