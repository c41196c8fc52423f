"""Logins of bots, with claims on names, invitations and refusals."""
