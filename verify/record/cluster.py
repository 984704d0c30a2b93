"""Runs facts on an existing Dask cluster instead of processes on this machine.

    with Cluster("tls://scheduler:8786", Certificates(ca, cert, key)) as cluster:
        for item, result in cluster.map(function, items):
            ...

Results come as they are completed. A worker that dies takes nothing with it: its tasks are given
to others, up to `RETRIES` times. Workers need the same version of this package, which is checked
before work is sent; `dask.distributed` is in the extra `dask`.

Trust         answers are unpickled here: whoever can speak for a worker can run code in this process.
              Over tcp:// that is everybody who can reach the scheduler; over tls:// both sides show
              certificates of one authority, nothing goes unencrypted, and what does not is refused
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from constructions import __version__
from constructions.core.bounded_files import read_bytes
from constructions.core.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")
RETRIES = 5
PATIENCE = 10


@dataclass(frozen=True)
class Certificates:
    """Files in PEM for tls://: the authority's certificate, one's own, and its private key."""

    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    def given(self) -> dict[str, Path]:
        """The given files by the names of their options."""
        named = {"--tls-ca": self.ca, "--tls-cert": self.cert, "--tls-key": self.key}
        return {name: path for name, path in named.items() if path is not None}

    def security(self, address: str) -> Any:
        """Security settings of a client for an address; None for tcp://."""
        given = self.given()
        if not address.startswith("tls://"):
            if given:
                raise InputError(next(iter(given)), address, "an address that begins with tls://")
            return None
        if len(given) < 3:
            raise InputError(
                "--scheduler", address, "--tls-ca, --tls-cert and --tls-key, for tls://"
            )
        self._readable()
        return _distributed().Security(
            tls_ca_file=str(self.ca),
            tls_client_cert=str(self.cert),
            tls_client_key=str(self.key),
            require_encryption=True,
        )

    def _readable(self) -> None:
        """Refuse files that are no certificates, with the name of the option."""
        context = ssl.create_default_context()
        for option, path in self.given().items():
            try:
                read_bytes(path)
                if option == "--tls-ca":
                    context.load_verify_locations(path)
                elif option == "--tls-key":
                    context.load_cert_chain(str(self.cert), str(self.key))
            except InputError as error:
                raise InputError(option, error.found, "a PEM file that fits", str(path)) from None
            except OSError as error:
                reason = error.strerror or str(error)
                raise InputError(option, reason, "a PEM file that fits", str(path)) from None


def checked_address(address: str) -> str:
    """tcp://HOST:PORT or tls://HOST:PORT."""
    try:
        parts = urlsplit(address)
        fits = bool(parts.scheme in ("tcp", "tls") and parts.hostname and parts.port)
        fits = fits and address == f"{parts.scheme}://{parts.netloc}" and "@" not in address
    except ValueError:
        fits = False
    if not fits or not address.isascii() or not address.isprintable() or " " in address:
        raise InputError("--scheduler", address, "tcp://HOST:PORT or tls://HOST:PORT")
    return address


class Cluster:
    """A connection to the scheduler at `address`."""

    def __init__(
        self, address: str, certificates: Certificates | None = None, patience: float = PATIENCE
    ) -> None:
        security = (certificates or Certificates()).security(checked_address(address))
        distributed = _distributed()
        try:
            self._client = distributed.Client(
                address, timeout=patience, set_as_default=False, security=security
            )
        except (OSError, ValueError) as error:
            reason = str(error).split("\n")[0]
            raise InputError("--scheduler", f"{address}: {reason}", "a Dask scheduler") from None
        self._completed = distributed.as_completed

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster as it was found."""
        self._client.close()

    def workers(self) -> list[str]:
        """The workers that answer, after a check of their version of this package."""
        versions: dict[str, str] = self._client.run(version, on_error="ignore")
        for address, found in sorted(versions.items()):
            if found != __version__:
                raise InputError("--scheduler", f"{address} has {found}", f"version {__version__}")
        return sorted(versions)

    def map(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Each item with its result, in the order of completion."""
        if not self.workers():
            raise InputError("--scheduler", "no worker", "at least one worker")
        futures = {
            self._client.submit(function, item, pure=False, retries=RETRIES): item for item in items
        }
        try:
            for future in self._completed(list(futures), loop=self._client.loop):
                yield futures[future], future.result()
        finally:
            self._client.cancel(list(futures))


def version() -> str:
    """The version of this package on the machine that runs this function."""
    return __version__


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise InputError("--scheduler", "no dask.distributed", "the extra 'dask'") from None
    return distributed
