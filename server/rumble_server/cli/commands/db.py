"""`rumble db`: back up, restore, check, mend, shrink and copy a database."""

import os
import time
from datetime import UTC, datetime
from typing import Annotated

import typer

from rumble_server.cli.output.errors import ExitCode
from rumble_server.cli.support.commands import App

app = App(help="Back up, restore, check, mend, shrink and copy a database.")

Database = Annotated[
    str, typer.Option(help="Database: a path, sqlite:///relative, sqlite:////absolute, or (prune) postgresql://...")
]
DatabaseFile = Annotated[str, typer.Argument(metavar="[FILE]", help="The database.")]
AnyDatabase = Annotated[str, typer.Argument(metavar="[DATABASE]", help="The database: a file, or postgresql://...")]
DAY_S = 86_400


@app.command()
def backup(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write; it must not be there.")],
    db: Database = "rumble.db",
) -> None:
    """Copy the present state of a database. A server may run on the database, and does not wait for the copy."""
    from rumble_server.store.care import copies
    from rumble_server.store.open import database_path

    copies.backup(database_path(db), file)
    typer.echo(f"{file}: {os.path.getsize(file):,} bytes")


@app.command()
def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A backup.")],
    db: Database = "rumble.db",
    force: Annotated[bool, typer.Option("--force", help="Replace a database that is there.")] = False,
) -> None:
    """Put a backup in the place of a database. No server may run on the database."""
    from rumble_server.store.care import copies
    from rumble_server.store.open import database_path

    copies.restore(database_path(db), file, replace=force)
    typer.echo(f"{db} is restored from {file}")


@app.command()
def prune(
    older_than: Annotated[float, typer.Option(min=0, metavar="DAYS", help="Days since a tournament's end.")],
    db: Database = "rumble.db",
    club: Annotated[str | None, typer.Option(metavar="NAME", help="Only of this club.")] = None,
) -> None:
    """Delete the moves and frames of old tournaments. Results and standings stay. A server may run on the database.

    The file keeps its size: new data fills the free space. `rumble db vacuum` gives the free space back to the disk.
    """
    from rumble_server.store.open import database_path, is_postgres, need_postgres
    from rumble_server.store.sqlite import pruning

    ended_before_ms = int((time.time() - older_than * DAY_S) * 1000)
    if is_postgres(db):
        need_postgres()
        from rumble_server.store.postgres import pruning as of_postgres

        tournaments, rows = of_postgres.prune(db, ended_before_ms, club)
    else:
        tournaments, rows = pruning.prune(database_path(db), ended_before_ms, club)
    typer.echo(f"pruned {tournaments} tournaments: {rows:,} rows of moves and frames are deleted")


@app.command()
def vacuum(db: Database = "rumble.db") -> None:
    """Give the free space in a database back to the disk. No server may run on the database."""
    from rumble_server.store.open import database_path
    from rumble_server.store.sqlite import pruning

    before, after = pruning.vacuum(database_path(db))
    typer.echo(f"{db}: {before:,} bytes before, {after:,} bytes after")


@app.command()
def verify(file: AnyDatabase = "rumble.db") -> ExitCode:
    """Look for damage in a database, and exit with 1 if there is any. A server may run on the database."""
    from rumble_server.store.care import damage
    from rumble_server.store.open import database_path, is_postgres, need_postgres

    name, remedy = file, "`rumble db repair` mends what can be"
    if is_postgres(file):
        need_postgres()
        from rumble_server.store.care import postgres_damage
        from rumble_server.store.postgres.connection import without_password

        found, name, remedy = postgres_damage.verify(file), without_password(file), "restore a backup"
    else:
        found = damage.verify(database_path(file))
    for problem in found.problems:
        typer.echo(problem)
    lost = f", {found.lost:,} of them lost" if found.lost else ""
    damaged = f"{len(found.problems)} problems; {remedy}" if found.problems else "no damage"
    typer.echo(f"{name}: {found.rows:,} rows{lost}; {damaged}")
    return ExitCode.FAILED if found.problems else ExitCode.DONE


@app.command()
def repair(
    file: DatabaseFile = "rumble.db",
    backup: Annotated[
        str | None, typer.Option(metavar="FILE", help="Where to copy the database first; by default beside it.")
    ] = None,
) -> None:
    """Mend a database: keep all that can be read, and make the indexes anew. No server may run on the database."""
    from rumble_server.store.care import repair as mending
    from rumble_server.store.open import database_path

    path, now_s = database_path(file), time.time()
    stamp = datetime.fromtimestamp(now_s, UTC).strftime("%Y%m%d-%H%M%S")
    done = mending.repair(path, backup or f"{path}.before-repair-{stamp}", int(now_s * 1000))
    for line in done or [f"{file}: no damage; nothing is done"]:
        typer.echo(line)


@app.command()
def copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="A database: a file, or postgresql://...")],
    target: Annotated[str, typer.Argument(metavar="TO", help="One of the other kind, with nothing of these clubs.")],
) -> None:
    """Copy a database between SQLite and PostgreSQL, and compare the copy row by row.

    No server may run on either database. A file holds the facts of all clubs as a single sequence, and PostgreSQL holds
    a sequence for each club. So a PostgreSQL database can be copied to a file only if main is its only club.
    """
    from rumble_server.store.care import copying

    clubs, rows = copying.copy_database(source, target)
    typer.echo(f"copied and compared: {clubs} {'club' if clubs == 1 else 'clubs'}, {rows:,} rows of the log")
