"""Reading the file that a command line names. The name `-` means standard input."""

import sys
from pathlib import Path

from rumble_server.cli.output.errors import CliError
from rumble_server.cli.output.terminal import plain
from rumble_server.results.file_contents import ResultsFile
from rumble_server.results.problems import BadResults
from rumble_server.results.results_file import read_results


def read_text(file: str) -> str:
    """Read a file as text in UTF-8. Raises CliError."""
    try:
        return _read(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CliError(f"{file}: byte {error.start} is not UTF-8") from None


def read_results_text(file: str) -> str:
    """Read a result file as UTF-8, or else as Windows-1252, the encoding of most pairing programs. Raises CliError."""
    content = _read(file)
    if b"\0" in content:
        raise CliError(f"{file}: byte {content.index(0)} is 0; this is no text in UTF-8 or Windows-1252")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError as error:
        raise CliError(f"{file}: this is not UTF-8, and byte {error.start} is not Windows-1252 either") from None


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise CliError(f"{file}: {error.strerror}") from None
    except ValueError as error:  # a file name with a zero byte
        raise CliError(f"{file!r}: {error}") from None


def read_results_file(file: str) -> ResultsFile:
    """Read a result file. Raises CliError for a file with problems.

    The error has the last problem. All earlier problems are printed before the error is raised.
    """
    try:
        return read_results(read_results_text(file))
    except BadResults as error:
        raise refused(file, error) from None


def has_tables(text: str) -> bool:
    """Return whether a text is a result file with tables."""
    try:
        return read_results(text).is_of_tables
    except BadResults:
        return False


def refused(file: str, problems: BadResults) -> CliError:
    """Print all problems of a file except the last on standard error, and return a CliError with the last problem."""
    *others, last = str(problems).splitlines()
    for problem in others:
        sys.stderr.write(plain(f"rumble: {file}: {problem}") + "\n")
    return CliError(f"{file}: {last}")
