"""Routes of hosts."""
