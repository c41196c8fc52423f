"""The function that the checks of the conformance kit call to raise an error if a condition is false."""

from rumble_engine.errors import ConformanceError


def require(condition: object, problem: str) -> None:
    """Raise ConformanceError with the text `problem` if `condition` is false."""
    if not condition:
        raise ConformanceError(problem)
