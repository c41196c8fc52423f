"""Files that the repository must contain, and texts that no file may contain."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import yaml

from tests.needs import missing, need

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = [ROOT / package for package in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]]

FOREIGN = re.compile(
    r"[p]ypi[.]org|[p]ythonhosted|[r]egistry[.]npmjs|[d]eb[.]debian[.]org|/[w]ork/(main|steering|[.]library|[.]mirror)"
    r"|/[r]oot/|/[f]arm/"
)
"""Pattern of hosts of registries and paths of one machine. Its brackets keep the pattern from matching this file."""


def repository_files() -> list[Path]:
    """Return the tracked files, and new files that are not ignored."""
    command = [need("git"), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    if not (ROOT / ".git").exists():
        missing("this is no clone of the repository")
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for name in sorted(set(listed.split("\0"))) if (path := ROOT / name).is_file()]


def test_the_expression_finds_registries_and_paths_of_one_machine() -> None:
    for parts in (("https://pyp", "i.org/simple"), ("/ro", "ot/.cache"), ("/wo", "rk/main/x"), ("deb.deb", "ian.org")):
        assert FOREIGN.search("".join(parts))
    assert not FOREIGN.search(FOREIGN.pattern)


def test_no_file_names_a_registry_or_a_path_of_one_machine() -> None:
    found = []
    for path in repository_files():
        text = path.read_bytes().decode("utf-8", "replace")
        found += [f"{path.relative_to(ROOT)}: {line}" for line in text.splitlines() if FOREIGN.search(line)]
    assert found == []


def test_the_top_folders_are_no_packages() -> None:
    for package in PACKAGES:
        assert not (package.parent / "__init__.py").exists()
        assert list(package.parent.glob("*.py")) == []


def test_every_package_is_typed() -> None:
    assert [package.name for package in PACKAGES if not (package / "py.typed").is_file()] == []


def test_the_check_can_be_run() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_workflows_run_the_check_and_tasks_that_exist() -> None:
    tasks = set(re.findall(r"@nox\.session\ndef (\w+)", (ROOT / "noxfile.py").read_text(encoding="utf-8")))
    run = []
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values():
            commands = [step["run"] for step in job["steps"] if "run" in step]
            task = job.get("strategy", {}).get("matrix", {}).get("task", [])
            assert set(task) <= tasks
            run += [(path.name, command, *task) for command in commands]
    assert run == [
        ("gate.yml", ".ci/run"),
        ("nightly.yml", ".ci/run ${{ matrix.task }}", "long", "releases", "newest", "coverage"),
    ]


def test_the_forms_of_issues_are_readable_by_the_forge() -> None:
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert [form.stem for form in forms] == ["bug", "idea"]
    for form in forms:
        read = yaml.safe_load(form.read_text(encoding="utf-8"))
        assert set(read) == {"name", "description", "labels", "body"}
        fields = [field for field in read["body"] if field["type"] != "markdown"]
        assert {field["type"] for field in fields} <= {"textarea", "input"}
        assert len({field["id"] for field in fields}) == len({field["attributes"]["label"] for field in fields})
        assert any(field.get("validations") == {"required": True} for field in fields)


def test_every_folder_that_dependabot_keeps_up_to_date_is_there() -> None:
    read = yaml.safe_load((ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8"))
    kept = {each["package-ecosystem"]: each for each in read["updates"]}
    assert read["version"] == 2
    assert set(kept) == {"pip", "github-actions", "docker"}
    assert all(each["schedule"] == {"interval": "weekly"} and each["groups"] for each in kept.values())
    assert [folder for folder in kept["pip"]["directories"] if not (ROOT / folder.strip("/")).is_dir()] == []


def test_the_changelog_has_this_version_as_released_or_as_the_next() -> None:
    version = re.escape(PROJECT["project"]["version"])
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changelog.count("\n## Unreleased\n") == 1
    assert len(re.findall(rf"^(?:## {version}$|This will be {version}\b)", changelog, re.MULTILINE)) == 1
