"""Logins of bots, with invitations and refusals."""
