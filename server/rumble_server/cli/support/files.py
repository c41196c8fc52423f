"""Reading the file that a command is given, `-` for standard input."""

import sys
from pathlib import Path

from rumble_server.cli.support.errors import CliError
from rumble_server.results.file_contents import ResultsFile
from rumble_server.results.problems import BadResults
from rumble_server.results.results_file import read_results


def read_text(file: str) -> str:
    """Read a file as text. Raises CliError."""
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except OSError as error:
        raise CliError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CliError(f"{file}: byte {error.start} is not UTF-8") from None


def read_results_file(file: str) -> ResultsFile:
    """Read a result file. Raises CliError, after a line on standard error for each other bad row."""
    try:
        return read_results(read_text(file))
    except BadResults as error:
        *others, last = str(error).splitlines()
        for problem in others:
            sys.stderr.write(f"rumble: {file}: {problem}\n")
        raise CliError(f"{file}: {last}") from None
