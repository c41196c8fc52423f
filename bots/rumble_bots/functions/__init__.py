"""Python functions as bots, such as the exercise's `def ai(board, player)`."""
