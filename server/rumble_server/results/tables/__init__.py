"""Pure scoring of tables: points, standings and ratings of matches with more than two seats, and their files.

Nothing here goes through the `Scheme` and `Count` of two seats. Matches of two seats fit, too, with their payoffs.
"""
