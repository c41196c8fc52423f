"""Python functions as bots, such as the `def ai(board, player)` of a programming exercise."""
