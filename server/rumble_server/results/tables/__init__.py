"""Pure scoring of tables (matches with more than two seats): points, standings, ratings and files.

This package does not use `Scheme` and `Count`, which are for two seats. Matches of two seats with payoffs count as
tables, too.
"""
