"""Pure scoring: results, counts of results (tallies), standings, tie-breaks, ratings, and files of results.

Each tournament keeps a `standings.LiveStandings` up to date during play. For the ranks or ratings of a file,
commands and pages read the file with `results_file`, and call `tiebreaks` and `ratings`.
"""
