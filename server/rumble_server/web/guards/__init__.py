"""What stands before the routes: headers, rate limits, secrets, and the public address."""
