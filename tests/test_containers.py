"""Dockerfile and docker-compose.yml agree with the project, with each other, and with the command line.

tests/e2e/test_compose.py runs the same commands without containers.
"""

import os
import re
import shlex
from typing import Any
from urllib.parse import urlsplit

import pytest
from packaging.requirements import Requirement
from packaging.version import Version
from rumble_bots.sdk.address import Address
from rumble_server.cli.support.settings import read_config
from rumble_server.config import ServerConfig

from tests.command_line import parse_all
from tests.containers import command, compose, dockerfile, the
from tests.test_repository import PROJECT, ROOT

EVERY: dict[str, Any] = compose()["services"]
SERVICES = {name: service for name, service in EVERY.items() if "profiles" not in service}
CLUSTER = {name: service for name, service in EVERY.items() if service.get("profiles") == ["cluster"]}
OURS = [name for name, service in EVERY.items() if service["image"] == "rumble"]
NODES = ["node1", "node2", "node3"]
BOTS = ["random", "heuristic", "minimax"]
LOCK = ".ci/image.txt"


def test_the_image_has_the_newest_python_that_the_project_names() -> None:
    named = [each.rpartition(" ")[2] for each in PROJECT["project"]["classifiers"] if "Python :: 3." in each]
    assert the("FROM").rest == f"python:{named[-1]}-slim"


def test_everything_that_the_wheel_needs_is_copied() -> None:
    copied = [word for found in dockerfile() if found.word == "COPY" for word in found.rest.split()[:-1]]
    packages = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    needed = {package.partition("/")[0] for package in packages}
    needed |= {"pyproject.toml", "hatch_readme.py", "README.md", *PROJECT["project"]["license-files"], LOCK}
    assert set(copied) == needed
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {line.removeprefix("!") for line in allowed if line.startswith("!")} == needed


def locked() -> dict[str, Version]:
    """Read the versions of the lock: each line is a comment, or a requirement of one version with its hashes."""
    versions = {}
    text = re.sub(r"^ *#.*\n", "", (ROOT / LOCK).read_text(encoding="utf-8"), flags=re.MULTILINE)
    for line in text.replace("\\\n", "").splitlines():
        requirement, *hashes = line.split(" --hash=")
        assert hashes, line
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", each.strip()) for each in hashes)
        read = Requirement(requirement)
        (pin,) = read.specifier
        assert (pin.operator, read.url) == ("==", None)
        versions[read.name] = Version(pin.version)
    return versions


def test_the_lock_has_all_that_the_image_needs() -> None:
    project = PROJECT["project"]
    python = the("FROM").rest.removeprefix("python:").removesuffix("-slim")
    image = {
        "implementation_name": "cpython",
        "platform_machine": "x86_64",
        "platform_python_implementation": "CPython",
        "python_full_version": f"{python}.0",
        "python_version": python,
        "sys_platform": "linux",
    }
    texts = [
        *project["dependencies"],
        *project["optional-dependencies"]["postgres"],
        *PROJECT["build-system"]["requires"],
    ]
    needed = [each for each in map(Requirement, texts) if each.marker is None or each.marker.evaluate(image)]
    names = {each.name for each in needed}
    assert names >= {"uvicorn", "uvloop", "cozy-chess-py", "psycopg", "hatchling"}
    versions = locked()
    assert names | {"psycopg-binary"} <= set(versions)
    assert [str(each) for each in needed if versions[each.name] not in each.specifier] == []
    assert f"with Python {python}\n" in (ROOT / LOCK).read_text(encoding="utf-8")


def test_nothing_is_installed_but_locked_packages() -> None:
    installs = [each for found in dockerfile() for each in found.rest.split(" && ") if each.startswith("pip ")]
    assert installs == [
        f"pip install --no-cache-dir --only-binary :all: --require-hashes -r {LOCK.rpartition('/')[2]}",
        "pip install --no-cache-dir --no-deps --no-build-isolation .",
    ]


def test_the_project_has_its_name_where_every_version_of_compose_reads_it() -> None:
    assert set(compose()) - {"x-host-token", "x-bot", "x-node", "x-cluster"} == {"services", "volumes"}
    assert (ROOT / ".env").read_text(encoding="utf-8") == "COMPOSE_PROJECT_NAME=rumble\n"


def test_nothing_runs_as_root() -> None:
    words = [found.word for found in dockerfile()]
    user = the("USER").rest
    assert user == "rumble"
    assert any("useradd" in found.rest and user in found.rest.split() for found in dockerfile() if found.word == "RUN")
    assert words.index("USER") < words.index("CMD")
    assert all(found.word != "RUN" for found in dockerfile()[words.index("USER") :])


def test_kept_files_are_on_a_volume() -> None:
    volume = the("VOLUME").rest
    database = the("CMD").command[the("CMD").command.index("--db") + 1]
    assert database.startswith(f"{volume}/")
    assert the("ENV").rest.startswith(f"RUMBLE_CONFIG_DIR={volume}/")
    for service in SERVICES.values():
        assert [mount.partition(":")[2] for mount in service.get("volumes", [])] in ([volume], [])
    assert CLUSTER["postgres"]["volumes"] == ["postgres:/var/lib/postgresql/data"]
    assert sorted(compose()["volumes"]) == ["bots", "postgres", "server"]


@pytest.mark.parametrize("name", OURS)
def test_every_command_is_one_of_the_command_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in [each for each in os.environ if each.startswith("RUMBLE_")]:
        monkeypatch.delenv(variable)
    for variable, value in EVERY[name].get("environment", {}).items():
        monkeypatch.setenv(variable, value)
    parse_all([shlex.join(command(EVERY[name]))])


def test_the_server_listens_to_the_others() -> None:
    assert "command" not in SERVICES["server"]
    served = command(SERVICES["server"])
    assert served[served.index("--host") + 1] == "0.0.0.0"


def test_every_part_uses_one_port() -> None:
    port = the("EXPOSE").rest
    assert str(ServerConfig().port) == port
    assert the("CMD").command[the("CMD").command.index("--port") + 1] == port
    assert f":{port}/healthz" in the("HEALTHCHECK").rest
    assert SERVICES["server"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    for name in ("host", *BOTS):
        address = Address.parse(SERVICES[name]["environment"]["RUMBLE_SERVER"])
        assert (address.host, str(address.port)) == ("server", port)


def test_each_service_waits_for_the_services_it_needs() -> None:
    assert SERVICES["host"]["depends_on"] == {"server": {"condition": "service_healthy"}}
    for bot in BOTS:
        assert SERVICES[bot]["depends_on"] == {"host": {"condition": "service_completed_successfully"}}
    unchecked = {name for name, service in SERVICES.items() if service.get("healthcheck") == {"disable": True}}
    assert unchecked == {"host", *BOTS}


def test_the_next_tournament_can_have_another_name() -> None:
    services = compose({"RUMBLE_TOURNAMENT": "saturday", "RUMBLE_HOST_TOKEN": "mine"})["services"]
    assert command(services["host"])[3] == "saturday"
    assert {services[bot]["environment"]["RUMBLE_JOIN"] for bot in BOTS} == {"saturday"}
    for name in ("server", "host"):
        assert services[name]["environment"]["RUMBLE_HOST_TOKEN"] == "mine"


def test_the_instructions_say_how_to_start_anew() -> None:
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    assert "`docker compose --profile cluster up balancer`" in text
    assert re.search(r"^#\s+docker compose down --volumes$", text, re.MULTILINE)


def test_the_cluster_is_three_nodes_that_differ_by_their_addresses_alone() -> None:
    assert list(CLUSTER) == ["postgres", *NODES, "balancer"]
    assert len(EVERY) == len(SERVICES) + len(CLUSTER)
    port = the("EXPOSE").rest
    alike = []
    for name in NODES:
        environment = dict(CLUSTER[name]["environment"])
        assert environment.pop("RUMBLE_NODE_ADDRESS") == f"http://{name}:{port}"
        alike.append({**CLUSTER[name], "environment": environment})
    assert alike[0] == alike[1] == alike[2]
    served = command(CLUSTER["node1"])
    assert served == ["rumble", "serve", "--host", "0.0.0.0", "--port", port], "the database is in the environment"


def test_the_variables_of_a_node_are_settings_of_a_server() -> None:
    environment = CLUSTER["node1"]["environment"]
    config = read_config({"host": "0.0.0.0", "house": "none"}, environment)
    taken = {"DB": config.db, "NODE_ADDRESS": config.node_address}
    taken |= {"HOST_TOKEN": config.host_token, "ADMIN_TOKEN": config.admin_token}
    networks = ",".join(sorted(map(str, config.behind_proxy)))
    assert environment == {f"RUMBLE_{name}": value for name, value in (taken | {"BEHIND_PROXY": networks}).items()}


def test_the_secrets_of_a_cluster_come_from_its_environment() -> None:
    given = {"POSTGRES_PASSWORD": "mine", "RUMBLE_ADMIN_TOKEN": "ours", "RUMBLE_HOST_TOKEN": "theirs"}
    services = compose(given)["services"]
    assert services["postgres"]["environment"]["POSTGRES_PASSWORD"] == "mine"
    for name in NODES:
        environment = services[name]["environment"]
        assert urlsplit(environment["RUMBLE_DB"]).password == "mine"
        assert urlsplit(environment["RUMBLE_DB"]).hostname == "postgres"
        assert urlsplit(environment["RUMBLE_DB"]).username == services["postgres"]["environment"]["POSTGRES_USER"]
        assert (environment["RUMBLE_ADMIN_TOKEN"], environment["RUMBLE_HOST_TOKEN"]) == ("ours", "theirs")


def test_nothing_but_the_balancer_is_published_and_it_leads_to_the_nodes() -> None:
    assert [name for name, service in CLUSTER.items() if "ports" in service] == ["balancer"]
    assert CLUSTER["balancer"]["ports"] == ["127.0.0.1:8766:8765"], "beside the server that has 8765"
    (mount,) = CLUSTER["balancer"]["volumes"]
    source, target, mode = mount.split(":")
    assert (target, mode) == ("/etc/caddy/Caddyfile", "ro")
    text = (ROOT / source).read_text(encoding="utf-8")
    port = the("EXPOSE").rest
    assert sorted(set(re.findall(r"node\d:\d+", text))) == [f"{name}:{port}" for name in NODES]
    for name in NODES:
        assert CLUSTER[name]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert CLUSTER["balancer"]["depends_on"] == NODES
