"""The care of databases: verification, repair, backups and copies."""
