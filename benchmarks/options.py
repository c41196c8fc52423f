"""Options of the benchmarks on the command line."""

import argparse


def options_of(about: str | None, **defaults: object) -> argparse.ArgumentParser:
    """Return a parser of a benchmark's options: `think_ms=100.0` is the option `--think-ms`, a float, by default 100.

    A type in place of a default is an option without a default.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in defaults.items():
        kind, value = (default, None) if isinstance(default, type) else (type(default), default)
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, default=value, help="default: %(default)s")
    return parser
