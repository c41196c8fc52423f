"""The function with which all checks of the conformance kit require a condition."""

from rumble_engine.errors import ConformanceError


def require(condition: object, problem: str) -> None:
    """Raise ConformanceError with the text `problem` if `condition` is false."""
    if not condition:
        raise ConformanceError(problem)
