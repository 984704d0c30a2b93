"""The Dask executor, on a real local cluster of two worker processes."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from constructions.core.errors import InputError
from verify.cli import main
from verify.record import cluster as cluster_module
from verify.record.cluster import Certificates, Cluster

distributed = pytest.importorskip("distributed")


def work() -> SimpleNamespace:
    """Work for a cluster, made inside a function: it travels by value, whatever workers import."""

    def square(number: int) -> int:
        return number * number

    def die_once(task: tuple[int, str]) -> int:
        """The worker that takes task 3 first is killed in the middle of it."""
        number, mark = task
        if number == 3 and not Path(mark).exists():
            Path(mark).write_text("died")
            os._exit(1)
        time.sleep(0.05)
        return number * number

    def fail(number: int) -> int:
        raise ValueError(f"no result for {number}")

    return SimpleNamespace(square=square, die_once=die_once, fail=fail)


@pytest.fixture(scope="module")
def scheduler() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as running:
        yield running


def test_every_item_comes_back_with_its_result(scheduler: Any) -> None:
    with Cluster(scheduler.scheduler_address) as cluster:
        assert len(cluster.workers()) == 2
        assert dict(cluster.map(work().square, range(20))) == {k: k * k for k in range(20)}


def test_a_killed_worker_loses_nothing(scheduler: Any, tmp_path: Path) -> None:
    tasks = [(k, str(tmp_path / "mark")) for k in range(8)]
    with Cluster(scheduler.scheduler_address) as cluster:
        found = dict(cluster.map(work().die_once, tasks))
    assert (tmp_path / "mark").read_text() == "died"
    assert found == {task: task[0] ** 2 for task in tasks}


def test_a_cluster_is_not_made_the_one_that_others_use(scheduler: Any) -> None:
    with Cluster(scheduler.scheduler_address), pytest.raises(ValueError, match="No clients found"):
        distributed.default_client()


def test_an_error_in_the_work_reaches_the_caller(scheduler: Any) -> None:
    with (
        Cluster(scheduler.scheduler_address) as cluster,
        pytest.raises(ValueError, match="no result for 7"),
    ):
        list(cluster.map(work().fail, [7]))


def test_workers_with_another_version_are_refused(
    scheduler: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "__version__", "99")
    with (
        Cluster(scheduler.scheduler_address) as cluster,
        pytest.raises(InputError, match="expected version 99"),
    ):
        list(cluster.map(work().square, [1]))


def test_no_scheduler_is_one_clear_line() -> None:
    with pytest.raises(InputError) as caught:
        Cluster("tcp://127.0.0.1:9", patience=0.5)
    assert "a Dask scheduler" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    ["", "localhost", "tcp://", "tcp://host", "http://host:1", "tcp://host:1/x", "tcp://u@host:1",
     "tcp://host:x", "tcp://ho st:1", "tcp://höst:1"],
)  # fmt: skip
def test_an_address_names_a_host_and_a_port(address: str) -> None:
    with pytest.raises(InputError, match="tcp://HOST:PORT or tls://HOST:PORT"):
        Cluster(address, patience=0.5)


def signed(folder: Path, name: str, authority: str) -> None:
    """A key and a certificate, by openssl; an authority signs itself."""
    own = name == authority
    made = ["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{name}.key", "-days", "2",
            "-x509", "-out", f"{name}.pem"]  # fmt: skip
    made += [] if own else ["-CA", f"{authority}.pem", "-CAkey", f"{authority}.key"]
    subprocess.run(made, cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificates")
    folder = tmp_path_factory.mktemp("certificates")
    for name, authority in (("ca", "ca"), ("me", "ca"), ("other", "other")):
        signed(folder, name, authority)
    return folder


def owned(folder: Path, ca: str = "ca", own: str = "me") -> Certificates:
    return Certificates(folder / f"{ca}.pem", folder / f"{own}.pem", folder / f"{own}.key")


@pytest.fixture(scope="module")
def secure(certificates: Path) -> Iterator[Any]:
    own = {"tls_ca_file": "ca.pem"}
    for role in ("scheduler", "worker", "client"):
        own |= {f"tls_{role}_cert": "me.pem", f"tls_{role}_key": "me.key"}
    paths = {name: str(certificates / file) for name, file in own.items()}
    security = distributed.Security(require_encryption=True, **paths)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None,
        security=security, protocol="tls", host="127.0.0.1",
    ) as running:  # fmt: skip
        yield running


def test_work_goes_over_tls_with_certificates(secure: Any, certificates: Path) -> None:
    assert secure.scheduler_address.startswith("tls://")
    with Cluster(secure.scheduler_address, owned(certificates)) as cluster:
        assert dict(cluster.map(work().square, [3])) == {3: 9}


def test_a_client_with_certificates_speaks_encrypted_or_not_at_all(certificates: Path) -> None:
    security = owned(certificates).security("tls://127.0.0.1:1")
    assert security.require_encryption is True
    assert security.get_connection_args("client")["require_encryption"] is True


def test_a_client_of_another_authority_is_refused(secure: Any, certificates: Path) -> None:
    with pytest.raises(InputError, match="--scheduler"):
        Cluster(secure.scheduler_address, owned(certificates, "other", "other"), patience=2)
    with pytest.raises(InputError, match="--scheduler"):
        Cluster(secure.scheduler_address, owned(certificates, "ca", "other"), patience=2)


def test_certificates_that_do_not_fit_are_refused_by_their_option(certificates: Path) -> None:
    ca, own, key = (certificates / name for name in ("ca.pem", "me.pem", "other.key"))
    address = "tls://127.0.0.1:9"
    for files, named in (
        ((ca, own, key), "--tls-key"),
        ((certificates / "ca.key", own, key), "--tls-ca"),
        ((ca, certificates / "none", key), "--tls-cert"),
        ((ca, own, None), "--tls-ca, --tls-cert and --tls-key"),
    ):
        with pytest.raises(InputError) as caught:
            Cluster(address, Certificates(*files))
        assert named in str(caught.value)
    with pytest.raises(InputError, match="--tls-ca"):
        Cluster("tcp://127.0.0.1:9", owned(certificates))


def test_what_is_not_encrypted_is_refused_by_a_client_with_certificates(
    scheduler: Any, certificates: Path
) -> None:
    """A scheduler reached by tls may name workers at tcp:// addresses: nothing goes to them."""
    from distributed.comm import connect

    trusted = owned(certificates).security("tls://127.0.0.1:9").get_connection_args("client")

    async def call(**how: Any) -> None:
        (await connect(scheduler.scheduler_address, timeout=5, **how)).abort()

    asyncio.run(call())  # without certificates the same address answers
    with pytest.raises(RuntimeError, match="encryption required"):
        asyncio.run(call(**trusted))


@pytest.mark.parametrize(("address", "warned"), [
    ("tcp://127.0.0.1:9", True), ("tls://127.0.0.1:9", False),
])  # fmt: skip
def test_a_cluster_that_is_not_encrypted_is_warned_of(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    address: str,
    warned: bool,
) -> None:
    monkeypatch.setattr(cluster_module, "Cluster", partial(Cluster, patience=0.5))
    assert main(["run", "def2.1", "--out", str(tmp_path / "x"), "--scheduler", address]) == 4
    said = capsys.readouterr().err
    assert ("warning: tcp:// is not encrypted" in said) == warned


STATEMENTS = ("def2.1", "lem1")


def run(out: Path, *more: str) -> dict[str, bytes]:
    assert main(["run", *STATEMENTS, "--out", str(out), *more]) in (0, 1, 2)
    kept = (p for p in sorted(out.rglob("*")) if p.is_file() and "work" not in p.parts)
    return {str(p.relative_to(out)): p.read_bytes() for p in kept}


def said_cluster(files: dict[str, bytes]) -> bool:
    """What a report's record says of a cluster; the field and the page that holds it are taken out."""
    del files["index.html"], files["SHA256SUMS"]
    record = json.loads(files.pop("record.json"))
    said = record.pop("cluster")
    files["record.json"] = json.dumps(record, sort_keys=True).encode()
    return bool(said)


def kill_a_worker(scheduler: Any, stop: threading.Event) -> None:
    with distributed.Client(scheduler.scheduler_address, set_as_default=False) as client:
        pids = sorted(client.run(os.getpid).values())
        while not stop.is_set() and not any(client.processing().values()):
            time.sleep(0.02)
        os.kill(pids[0], signal.SIGKILL)


@pytest.mark.slow
def test_a_cluster_gives_the_same_report_as_this_machine_and_the_record_says_so(
    scheduler: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drawn_once: None
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("ASSAY_PAPER", raising=False)
    monkeypatch.delenv("ASSAY_PAUTOMAC", raising=False)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "kept here"))
    here = run(tmp_path / "here", "--jobs", "1")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "kept there"))
    stop = threading.Event()
    killer = threading.Thread(target=kill_a_worker, args=(scheduler, stop))
    killer.start()
    there = run(tmp_path / "there", "--scheduler", scheduler.scheduler_address)
    stop.set()
    killer.join()
    again = run(tmp_path / "again", "--jobs", "1")
    assert again == here
    assert [said_cluster(files) for files in (here, there, again)] == [False, True, False]
    assert there == here == again
