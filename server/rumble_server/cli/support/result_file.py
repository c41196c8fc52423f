"""Reading the file argument of `rumble standings` and `rumble ratings`."""

import sys
from pathlib import Path

from rumble_server.cli.support.errors import CliError, ExitCode
from rumble_server.results.results_file import BadResults, ResultsFile, read_results


def read(file: str) -> ResultsFile:
    """The results in a file, `-` for standard input. Raises CliError, with every bad row by line and column."""
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except OSError as error:
        raise CliError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CliError(f"{file}: byte {error.start} is not UTF-8") from None
    try:
        return read_results(text)
    except BadResults as error:
        *others, last = str(error).splitlines()
        for problem in others:
            sys.stderr.write(f"rumble: {file}: {problem}\n")
        raise CliError(f"{file}: {last}", ExitCode.FAILED) from None
