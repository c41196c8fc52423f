"""The log of a club, whatever the kind of database: its way to the disk, and its readers."""
