"""Routes of the clubs' administrator."""
