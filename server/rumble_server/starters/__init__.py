"""The starter bots: their files, copies of them for authors, and a bot as a zip."""
