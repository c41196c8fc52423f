"""Pure scoring: results, counts of results (tallies), standings, tie-breaks, ratings, and files of results.

Each tournament keeps a `standings.Table` up to date during play. Commands and pages for the ranks or ratings of a file
read the file with `results_file`, and call `tiebreaks` and `ratings`.
"""
