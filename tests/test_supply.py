"""Every dependency, direct or not, is pinned; the licence is complete."""

import hashlib
import re
import tomllib
from configparser import ConfigParser
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
# What tox installs besides the package.
TOOLS = ("tox", "ruff", "cyclonedx-bom", "cosmic-ray", "atheris")
# Of the licence as its authors publish it, appendix included.
APACHE = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"


def config(name: str) -> ConfigParser:
    parser = ConfigParser()
    parser.read(ROOT / name)
    return parser


def asked() -> dict[str, list[str]]:
    """Requirements in setup.cfg by extra; "" for the base installation."""
    setup = config("setup.cfg")
    extras = {name: text.split() for name, text in setup["options.extras_require"].items()}
    return {"": setup["options"]["install_requires"].split(), **extras}


def pins(name: str = "constraints.txt") -> dict[str, str]:
    lines = (ROOT / name).read_text("utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {canonicalize_name(package): version for package, version in pairs}


def hashed() -> dict[str, tuple[str, int]]:
    """Versions of constraints-hashed.txt, and how many files of each are known by their hashes."""
    text = (ROOT / "constraints-hashed.txt").read_text("utf-8")
    entries = re.findall(
        r"^([\w.-]+)==(\S+)( ;[^\\]*)? \\\n((?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)",
        text,
        re.M,
    )
    return {
        canonicalize_name(n): (version, lines.count("--hash")) for n, version, _, lines in entries
    }


def follow(texts: list[str]) -> tuple[set[str], set[str]]:
    """All that these requirements lead to, by the metadata of what is installed; and what is not."""
    open_, seen, absent = [(Requirement(text), "") for text in texts], set(), set()
    while open_:
        requirement, extra = open_.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        for wanted in ("", *sorted(requirement.extras)):
            key = (canonicalize_name(requirement.name), wanted)
            if key in seen:
                continue
            seen.add(key)
            try:
                open_ += [(Requirement(r), wanted) for r in requires(requirement.name) or ()]
            except PackageNotFoundError:
                absent.add(key[0])
    return {name for name, _ in seen}, absent


@pytest.mark.parametrize("extra", sorted(set(asked()) - {"interop"}))
def test_every_package_that_an_extra_leads_to_is_pinned(extra):
    found, _ = follow(asked()[extra])
    assert found - set(pins()) == set()
    assert len(found) >= len(asked()[extra])


def test_every_requirement_is_installed():
    """The extras of the tests are all there, so nothing hides behind a missing package."""
    assert follow([*asked()[""], *asked()["test"]])[1] == set()


def test_a_missing_pin_would_be_noticed():
    found, _ = follow(["rich"])
    assert {"rich", "pygments", "markdown-it-py", "mdurl"} <= found


def test_tools_are_pinned_and_tox_asks_for_nothing_else():
    known = pins()
    assert set(TOOLS) <= set(known)
    tox = config("tox.ini")
    named = {
        canonicalize_name(Requirement(line).name)
        for section in tox.sections()
        if section != "testenv:interop-newest"  # what pip offers today is its point
        for line in tox[section].get("deps", "").split("\n")
        if line.strip() and not line.startswith("-")
    }
    assert named <= set(known)


def test_the_build_script_installs_pinned_packages_only():
    lines = (ROOT / ".ci/run").read_text("utf-8").splitlines()
    installs = [line for line in lines if "pip install" in line]
    assert installs
    for line in installs:
        assert "-c constraints.txt" in line
        packages = line.split("-c constraints.txt")[1].split()
        assert {canonicalize_name(package) for package in packages} <= set(pins())


def test_the_lowest_versions_are_those_of_the_setup():
    """`tox run -e lowest` installs exactly the lower bounds that are promised."""
    promised = {
        Requirement(text).name: next(s.version for s in Requirement(text).specifier if s.operator == ">=")
        for text in [*asked()[""], *asked()["torch"]]
    }  # fmt: skip
    lowest = {n: re.sub(r"(\.0)+$", "", v) for n, v in pins("constraints-lowest.txt").items()}
    for name, version in promised.items():
        assert lowest[canonicalize_name(name)] == re.sub(r"(\.0)+$", "", version), name


def test_the_licence_is_whole():
    assert hashlib.sha256((ROOT / "LICENSE").read_bytes()).hexdigest() == APACHE
    assert config("setup.cfg")["metadata"]["license_files"].strip() == "LICENSE"


def test_requirements_are_pinned_with_hashes():
    """torch has none: which of its builds is meant depends on the machine."""
    needed, _ = follow([*asked()[""], *build_requirements()])
    found = hashed()
    assert needed - set(found) == set() and "torch" not in found
    assert {name: version for name, (version, _) in found.items()}.items() <= pins().items()
    assert all(count >= 1 for _, count in found.values())


def build_requirements() -> list[str]:
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"][
        "requires"
    ]
    return list(requires)


def test_build_requirements_are_pinned():
    for text in build_requirements():
        requirement = Requirement(text)
        assert str(requirement.specifier) == f"=={pins()[canonicalize_name(requirement.name)]}"


@pytest.mark.parametrize("name", ["action.yml", ".github/workflows/checks.yml"])
def test_actions_of_others_are_named_by_their_commits(name):
    text = (ROOT / name).read_text("utf-8")
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert used
    for action, comment in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), comment


def test_the_workflow_may_only_read():
    workflow = yaml.safe_load((ROOT / ".github/workflows/checks.yml").read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert not any("permissions" in job for job in workflow["jobs"].values())
