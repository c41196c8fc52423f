"""The live tournaments of a club: their life, their matches' starts, and challenges."""
