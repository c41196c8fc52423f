"""The live tournaments of a club: lifecycle, starts of matches, and challenges."""
