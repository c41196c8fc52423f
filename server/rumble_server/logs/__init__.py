"""What a server logs: one line an event, without secrets, and an audit log of who came and who was refused."""
