"""The files of the distribution `botrumble-browser`, if it is installed: Python and the code editor, for browsers.

The files are large. So the build of the distribution compresses them, and the server sends them in pieces.
"""

from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path, PureWindowsPath

from fastapi import Request
from starlette.responses import FileResponse, Response

from rumble_server.web.errors import WebError
from rumble_server.web.path_owner import CODE_FILES
from rumble_server.web.request_headers import takes_gzip
from rumble_server.web.static_files import FOR_GOOD

PACKAGE = "rumble_browser"
MEDIA_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".wasm": "application/wasm",
    ".zip": "application/zip",
}


@cache
def folder() -> Path | None:
    """Return the folder of the files; None if the distribution is not installed, or its files are not built yet."""
    if find_spec(PACKAGE) is None:
        return None
    found: Path = import_module(PACKAGE).data()
    return found if found.is_dir() else None


@cache
def address() -> str | None:
    """Return the URL path under which the files are sent, with a hash of the files; None if `folder()` is None."""
    where = folder()
    if where is None:
        return None
    content = blake2b(digest_size=8)
    for path in sorted(where.iterdir()):
        content.update(path.name.encode() + path.read_bytes())
    return f"{CODE_FILES}/{content.hexdigest()}"


async def answer(request: Request) -> Response:
    """Send a file.

    Raises WebError with `not_found` for an unknown file or an outdated hash. Raises WebError with `bad_request` if the
    file is kept as gzip only, and the client does not accept gzip.
    """
    where, kept = folder(), address()
    path = request.url.path
    name = path.rpartition("/")[2]
    if where is None or kept is None or path != f"{request.scope['root_path']}{kept}/{name}":
        raise WebError.not_found(f"there is nothing at {path}")
    suffix = Path(name).suffix
    is_plain = PureWindowsPath(name).name == name  # on Windows a name may lead elsewhere by a backslash or a drive
    for file, coding in ((where / f"{name}.gz", {"Content-Encoding": "gzip"}), (where / name, {})):
        if is_plain and suffix in MEDIA_TYPES and file.is_file():
            if coding and not takes_gzip(request.headers.get("Accept-Encoding", "")):
                raise WebError(406, "bad_request", "this file is sent as gzip only")
            return FileResponse(file, headers={"Cache-Control": FOR_GOOD, **coding}, media_type=MEDIA_TYPES[suffix])
    raise WebError.not_found(f"there is nothing at {path}")
