"""Pure scoring: results, tallies, standings, tie-breaks, ratings, result files.

Tournaments keep a `standings.Table` up to date while they are played. The commands and pages that rank or rate a file
read the file with `results_file` and call `tiebreaks` and `ratings`.
"""
