"""Keys that protect names. A key is made at the first use of a name in a club of a server, and kept for later logins.

Keys are kept in the user's configuration folder, or in the folder that the variable `RUMBLE_CONFIG_DIR` names. Each
club and name has a JSON file that only the user can read. The file is `keys/localhost_8765/alice.json` for the club
`main`, and `keys/localhost_8765/c/CLUB/alice.json` for other clubs.

A new file gets its name only when its content is complete (on a file system without hard links, a moment earlier). If
two programs make a key for the same name at the same time, both use the key of the first file with this name.
"""

import hashlib
import json
import os
import re
import secrets
import time
from contextlib import suppress
from pathlib import Path

from platformdirs import user_config_path
from rumble_protocol.fields import NAME_PATTERN
from rumble_protocol.secret import make_secret

from rumble_bots.sdk.address import Address
from rumble_bots.sdk.errors import BadKey, BadName

FOLDER_VARIABLE = "RUMBLE_CONFIG_DIR"
FILLED_S = 0.1
"""Time in s after which a key file that another program has claimed is filled."""
SHORTEST, LONGEST = 16, 128
"""Minimum and maximum length of a key in characters; other keys are refused."""


def check_name(name: str) -> str:
    """Return `name` if a server can accept it. Raises BadName."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise BadName(f"{name!r} is not a name: 1 to 32 letters, digits, `_`, `.` or `-`, the first a letter or digit")
    return name


def check_key(key: str) -> str:
    """Return `key` if a server can accept it. Raises BadKey."""
    if not SHORTEST <= len(key) <= LONGEST:
        raise BadKey(f"a key has {SHORTEST} to {LONGEST} characters; this one has {len(key)}")
    return key


def config_folder() -> Path:
    """Return the folder of this user's keys and tokens."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else user_config_path("rumble", appauthor=False)


def key_file(server: Address, name: str) -> Path:
    """Return the file for the key of `name` on `server`. Raises BadName."""
    return config_folder() / "keys" / server.label / f"{check_name(name).lower()}.json"


def kept_key(server: Address, name: str, *, new: bool = True) -> str:
    """Return the kept key of `name` on `server`. If no key is kept, and `new` is true, make and keep a key.

    Raises BadName. Raises BadKey if the file is damaged or cannot be written. If `new` is false, also raises BadKey if
    no key is kept.
    """
    file = key_file(server, name)
    try:
        if not file.exists():
            if not new:
                raise BadKey(f"no key of {name} is kept for {server.http_base}")
            keep_key(server, name, make_secret())
        return _read(file)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadKey(f"cannot keep a key in {file}: {reason}; give one by --key or RUMBLE_KEY") from error


def keep_key(server: Address, name: str, key: str, *, replace: bool = False) -> None:
    """Keep a key of `name` on `server`. Raises OSError and BadName.

    If a key is kept already, the new one replaces it only if `replace` is true.
    """
    write_private(key_file(server, name), {"server": server.http_base, "name": name, "key": key}, replace=replace)


def token_file(server: Address, given: str) -> Path:
    """Return the file for the secret that the server made in exchange for the token `given`.

    The file's name does not reveal the token.
    """
    return config_folder() / "tokens" / server.label / f"{hashlib.sha256(given.encode()).hexdigest()[:16]}.json"


def kept_token(server: Address, given: str) -> str:
    """Return the kept secret that the server made in exchange for the token `given`.

    If no secret is kept, return `given`.
    """
    try:
        return str(json.loads(token_file(server, given).read_text(encoding="utf-8"))["token"])
    except (OSError, ValueError, KeyError, TypeError):
        return given  # the server exchanges the token again


def _read(file: Path) -> str:
    try:
        if not (text := file.read_text(encoding="utf-8")):  # perhaps another program has just claimed it in `_link`
            time.sleep(FILLED_S)
            text = file.read_text(encoding="utf-8")
        key = json.loads(text)["key"]
        if not isinstance(key, str):
            raise TypeError("the key is not text")
        return check_key(key)
    except (ValueError, KeyError, TypeError, BadKey) as error:
        problem = "it holds no key" if isinstance(error, KeyError) else error
        advice = "mend it, or delete it to start with a new key"
        raise BadKey(f"the key file {file} is damaged ({problem}); {advice}") from error


def write_private(file: Path, content: dict[str, str], *, replace: bool = False) -> None:
    """Write a private file atomically.

    An existing file is replaced if `replace` is true, and otherwise stays as it is.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    whole = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    descriptor = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            json.dump(content, opened)
            opened.flush()
            os.fsync(opened.fileno())
        if replace:
            os.replace(whole, file)
        else:
            _link(whole, file)
    finally:
        whole.unlink(missing_ok=True)


def _link(whole: Path, file: Path) -> None:
    with suppress(FileExistsError):  # another program of this user made the key first; `_read` reads that key
        try:
            os.link(whole, file)
        except FileExistsError:
            raise
        except OSError:  # no hard links, as on exFAT and on some network drives: claim the name, then fill the file
            os.close(os.open(file, os.O_CREAT | os.O_EXCL, 0o600))
            os.replace(whole, file)
