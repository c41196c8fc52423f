"""nginx and Caddy as programs in front of servers."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.e2e.processes import PATIENCE_S, clean_environment, running
from tests.needs import need
from tests.waiting import wait_until

FILES = {"nginx": "nginx.conf", "caddy": "Caddyfile"}


def command(proxy: str, text: str, folder: Path) -> list[str]:
    """Write a proxy's file; return the command that runs the proxy in the foreground, with its files in `folder`."""
    file = folder / FILES[proxy]
    if proxy == "caddy":
        file.write_text(f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{text}")
        return [need("caddy"), "run", "--config", str(file), "--adapter", "caddyfile"]
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    file.write_text(text.replace("\nhttp {\n", f"\nhttp {{\n{places}", 1))
    return [need("nginx"), "-p", str(folder), "-c", str(file), "-g", f"daemon off; pid {folder}/nginx.pid;"]


@contextmanager
def proxied(proxy: str, text: str, port: int, folder: Path) -> Iterator[str]:
    """Run a proxy for a block, and yield its address."""
    places = {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    log = folder / "proxy.log"
    with running(command(proxy, text, folder), clean_environment(folder, places), log) as process:

        def listens() -> bool:
            assert process.poll() is None, log.read_text()
            with closing(socket.socket()) as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        assert wait_until(listens, PATIENCE_S)
        yield f"http://127.0.0.1:{port}"
        assert process.poll() is None, log.read_text()
