"""Pure scoring: results, tallies, standings, tie-breaks, ratings, result files."""
