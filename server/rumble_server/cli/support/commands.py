"""Plain help for every command: text as wide as the terminal, with nothing cut off."""

import inspect
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from rumble_server.cli.support.terminal import coloured

MOST_COLUMNS, FEWEST_COLUMNS = 100, 40
"""Bounds of the width of a help text, in columns: longer lines are hard to read."""
TERM_COLUMNS = 24
"""Maximum width in columns of an option that has its text on the same line; the text of longer ones goes below."""
INDENT = "  "

Row = tuple[str, str]
"""An option, argument or command, and its help text."""


class _AsTyped:
    """A stand-in for typer's type of a parameter while a line is completed: values stay unconverted."""

    def coerce(self, value: Any, **_: Any) -> Any:
        return value


class Command(TyperCommand):
    """A command with plain help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(_prepared(self, ctx), args)

    def get_help(self, ctx: Any) -> str:
        return _help(self, ctx)


class Group(TyperGroup):
    """A command with subcommands, with plain help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(_prepared(self, ctx), args)

    def get_help(self, ctx: Any) -> str:
        return _help(self, ctx, {name: self.get_command(ctx, name) for name in self.list_commands(ctx)})


class App(typer.Typer):
    """A group of commands of `rumble`."""

    def __init__(self, cls: type[Group] = Group, **settings: Any) -> None:
        super().__init__(**{"cls": cls, "add_completion": False, "rich_markup_mode": None, **settings})

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Any], Any]:
        return super().command(name, **{"cls": Command, **settings})


def _prepared(command: Any, context: Any) -> Any:
    """Keep typer from loading pydantic for help, the version and completion: only bool values do without pydantic."""
    for param in command.get_params(context):
        if context.resilient_parsing:
            param._runtime_param = _AsTyped()
        elif not param.expose_value:
            param.default = False
    return context


class LongCommand(Command):
    """A command with so many options that --help explains the first panels only, and lists the others by name."""

    explained: tuple[str, ...]
    """Titles of further panels whose options --help explains."""

    def get_help(self, ctx: Any) -> str:
        return _help(self, ctx, explained=("Options", *self.explained))


def explain_all(context: typer.Context, wanted: bool) -> None:
    """Print the whole help of a long command, where it is wanted."""
    if wanted:
        typer.echo(_help(context.command, context))
        raise typer.Exit


def _help(
    command: Any, context: Any, commands: dict[str, Any] | None = None, explained: Collection[str] | None = None
) -> str:
    """Return the help text; panels not in `explained` (None: all are) have the names of options only."""
    width = max(FEWEST_COLUMNS, min(MOST_COLUMNS, shutil.get_terminal_size().columns))
    heading = (lambda text: typer.style(text, bold=True)) if coloured(sys.stdout) else str
    arguments: list[Row] = []
    panels: dict[str, list[Row]] = {}
    usage = ["[OPTIONS]"]
    for param in command.get_params(context):
        if param.param_type_name == "argument":
            is_choice = param.type_descriptor.is_choice
            name = str(param.metavar or (_kind(param, context) if is_choice else param.name.upper()))
            usage.append(name if param.required or name[0] in "[-" else f"[{name}]")
            arguments.append((name, _text(param.get_help_record(context)[1])))
        elif not param.hidden:
            param.metavar = param.metavar or _kind(param, context)
            panel = getattr(param, "rich_help_panel", None) or "Options"
            term, text = param.get_help_record(context)
            panels.setdefault(panel, []).append((term, _text(text)))
    if commands is not None:
        usage.append("COMMAND [ARGS]...")
    prefix = f"Usage: {context.command_path} "
    lines = _wrapped(" ".join(usage), width, prefix, " " * len(prefix))
    lines[0] = lines[0].replace("Usage:", heading("Usage:"), 1)
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        lines += ["", *_wrapped(paragraph, width, INDENT, INDENT)]
    listed = [(name, _first_paragraph(each)) for name, each in (commands or {}).items() if not each.hidden]
    for title, rows in {"Arguments": arguments, **panels, "Commands": listed}.items():
        if rows:
            named = explained is not None and title not in explained
            names = _wrapped(", ".join(term.split()[0] for term, _ in rows), width, INDENT, INDENT)
            lines += ["", heading(f"{title}:"), *(names if named else _table(rows, width))]
    return "\n".join(lines)


def _kind(param: Any, context: Any) -> str | None:
    """Return the placeholder for an option's value; None for a flag."""
    kind = param.type_descriptor
    if kind.annotation is bool:
        return None
    if kind.is_choice:
        return str(param.display_type(context)).strip("<>")
    names = {int: "N", float: "N", Path: "FILE"}
    return names.get(kind.annotation, "TEXT")


def _text(about: str) -> str:
    """Write the bounds of a number in words, and drop a lower bound of 0, which goes without saying."""
    about = re.sub(r"  \[x>=0\]|; x>=0", "", about)
    about = re.sub(r"([\d.]+)<=x<=([\d.]+)", r"from \1 to \2", about)
    return re.sub(r"x>=([\d.]+)", r"at least \1", about)


def _first_paragraph(command: Any) -> str:
    return inspect.cleandoc(command.help or "").partition("\n\n")[0]


def _table(rows: list[Row], width: int) -> Iterator[str]:
    fitting = [len(term) for term, _ in rows if len(term) <= TERM_COLUMNS]
    column = len(INDENT) + max(fitting, default=TERM_COLUMNS) + len(INDENT)
    if width - column < FEWEST_COLUMNS:
        column = 3 * len(INDENT)  # too narrow for two columns: every text goes below its option
    for term, text in rows:
        first, rest = f"{INDENT}{term}", " " * column
        if len(first) + len(INDENT) > column:
            yield first
            first = ""
        yield from _wrapped(text, width, f"{first:{column}}", rest)


def _wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    """Wrap a paragraph; options and addresses stay whole."""
    wrapper = textwrap.TextWrapper(width, first, rest, break_on_hyphens=False, break_long_words=False)
    return wrapper.wrap(" ".join(text.split())) or [first.rstrip()]
