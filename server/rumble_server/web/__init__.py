"""What people see: the HTTP API, the live feed, and the pages."""
