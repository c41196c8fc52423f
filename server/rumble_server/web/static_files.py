"""Scripts, style sheets and pictures, under a path with a hash of all files, so that browsers keep them for good.

The files are read once, at the start. So the content under a hash never changes, even if an upgrade replaces the files
while the server runs.
"""

import gzip
import re
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from posixpath import normpath

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rumble_server.starters.starter import STARTERS, Language
from rumble_server.web.errors import WebError
from rumble_server.web.request_headers import has_etag, takes_gzip

STATIC = Path(__file__).parent / "static"
BARE_BOT = STARTERS[Language.PYTHON].folder / "bare_bot.py"
"""Path of the bot without any code of Rumble, for readers without a checkout of the repository."""
PREFIX = "/static"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".py": "text/x-python; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""The media types by suffix of a file. Files with other suffixes are not served."""
FOR_GOOD = "public, max-age=31536000, immutable"
REVALIDATED = "no-cache"
"""The `Cache-Control` of a file that a browser may keep, but has to check for a change at each use."""
IMPORT = re.compile(rb'^(?:import|\} from) [^"\n]*"(\.[^"]+)";', re.MULTILINE)
HASH = re.compile(r"[0-9a-f]{16}")


class StaticFile:
    """A static file in memory."""

    def __init__(self, path: Path) -> None:
        self.content = path.read_bytes()
        self.media_type = MEDIA_TYPES[path.suffix]
        self.etag = f'"{blake2b(self.content, digest_size=8).hexdigest()}"'

    @cached_property
    def gzipped(self) -> bytes:
        """The content as gzip. Compressing takes up to about 1 ms, once for each file."""
        return gzip.compress(self.content, mtime=0)

    @cached_property
    def imports(self) -> list[str]:
        """Relative paths of the modules that the file imports. A search in all files of a page takes up to 1 ms."""
        return [path.decode() for path in IMPORT.findall(self.content)]


class StaticFiles:
    """The static files of a folder and other files, which are all read once, at the start."""

    def __init__(self, folder: Path, *others: Path) -> None:
        found = (path for path in folder.rglob("*") if path.suffix in MEDIA_TYPES)
        self._files = {path.relative_to(folder).as_posix(): StaticFile(path) for path in found}
        self._files |= {path.name: StaticFile(path) for path in others}
        etags = "".join(f"{name} {file.etag}\n" for name, file in sorted(self._files.items()))
        self.root = f"{PREFIX}/{blake2b(etags.encode(), digest_size=8).hexdigest()}"
        """The path under which browsers keep the files.

        Modules import each other by relative paths. So browsers load imported modules from below this path, too.
        """

    def imported(self, entries: list[str]) -> list[str]:
        """Return the modules that `entries` import, directly or through other modules.

        Each module is returned once, in the order in which a browser finds them, without the entries themselves.
        """
        found = dict.fromkeys(entries)
        waiting = list(entries)
        while waiting:
            name = waiting.pop(0)
            for path in self._files[name].imports:
                other = normpath(PurePosixPath(name).parent / path)
                if other not in found:
                    found[other] = None
                    waiting.append(other)
        return list(found)[len(set(entries)) :]

    async def answer(self, request: Request) -> Response:
        """Send a file. If the path has an outdated hash, redirect to the file under the present hash.

        Pages loaded before an upgrade have outdated hashes. The newer file may not fit such a page, but without any
        file the page would fail.
        """
        path: str = request.path_params["path"]
        shown_hash, _, rest = path.partition("/")
        is_kept = f"{PREFIX}/{shown_hash}" == self.root
        has_hash = HASH.fullmatch(shown_hash) is not None
        name = rest if has_hash else path
        file = self._files.get(name)
        if file is None:
            raise WebError.not_found(f"there is nothing at {request.url.path}")
        if has_hash and not is_kept:
            return RedirectResponse(f"{self.root}/{name}", headers={"Cache-Control": REVALIDATED})
        headers = {
            "Cache-Control": FOR_GOOD if is_kept else REVALIDATED,
            "ETag": f"W/{file.etag}",
            "Vary": "Accept-Encoding",
        }
        if has_etag(request.headers.get("If-None-Match", ""), file.etag):
            return Response(status_code=304, headers=headers)
        if not takes_gzip(request.headers.get("Accept-Encoding", "")) or len(file.gzipped) >= len(file.content):
            return Response(file.content, media_type=file.media_type, headers=headers)
        return Response(file.gzipped, media_type=file.media_type, headers={**headers, "Content-Encoding": "gzip"})


@cache
def static_files() -> StaticFiles:
    """Read the static files of the server, once for all servers of a Python process."""
    return StaticFiles(STATIC, BARE_BOT)
