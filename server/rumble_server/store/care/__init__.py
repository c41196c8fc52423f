"""Verification, repair, backups and copies of databases, for the commands `rumble db ...`."""
