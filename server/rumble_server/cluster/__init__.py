"""Several nodes: leases, leadership of clubs, links."""
