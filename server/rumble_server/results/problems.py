"""What is wrong with a file of results."""

MOST_PROBLEMS = 20
"""Maximum number of problems in an error's text; it tells how many more there are."""


class BadResults(ValueError):
    """A file that cannot be read; `problems` says where and why, a line for each."""

    def __init__(self, problems: list[str]) -> None:
        shown = problems[:MOST_PROBLEMS]
        if len(problems) > MOST_PROBLEMS:
            shown.append(f"and {len(problems) - MOST_PROBLEMS} more")
        super().__init__("\n".join(shown))
        self.problems = tuple(problems)
