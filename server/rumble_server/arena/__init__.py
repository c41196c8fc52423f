"""The live server of one club: who is connected, what is played, and every command on it."""
