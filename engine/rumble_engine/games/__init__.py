"""The games that Rumble brings, one module each."""
