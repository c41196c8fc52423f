"""Guards of the routes: checks of secrets, and the public address."""
