"""The error for a file of results that cannot be read."""

MOST_PROBLEMS = 20
"""Maximum number of problems in an error's text. With more problems, a last line gives the number left out."""


class BadResults(ValueError):
    """The error for a file of results that cannot be read.

    Each item of `problems` is a line with a location and a reason.
    """

    def __init__(self, problems: list[str]) -> None:
        shown = problems[:MOST_PROBLEMS]
        if len(problems) > MOST_PROBLEMS:
            shown.append(f"and {len(problems) - MOST_PROBLEMS} more")
        super().__init__("\n".join(shown))
        self.problems = tuple(problems)
