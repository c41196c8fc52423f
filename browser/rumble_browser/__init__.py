"""Python (Pyodide) and a code editor (CodeMirror) for the page `/code` of a Rumble server, as files for a browser."""

from pathlib import Path


def data() -> Path:
    """Return the folder of the files. A file whose name ends in `.gz` is packed."""
    return Path(__file__).parent / "data"
