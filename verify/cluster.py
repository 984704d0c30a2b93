"""The same work on an existing Dask cluster, as it is done by processes on this machine.

    with Cluster("tcp://scheduler:8786") as cluster:
        for item, result in cluster.map(function, items):
            ...

Results come as they are completed. A worker that dies takes nothing with it: its tasks are given
to others, up to `RETRIES` times. Workers need the same version of this package, which is checked
before work is sent; `dask.distributed` is in the extra `dask`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, TypeVar

from constructions import __version__
from constructions.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")
RETRIES = 5
PATIENCE = 10


class Cluster:
    """A connection to the scheduler at `address`."""

    def __init__(self, address: str, patience: float = PATIENCE) -> None:
        distributed = _distributed()
        try:
            self._client = distributed.Client(address, timeout=patience, set_as_default=False)
        except (OSError, ValueError) as error:
            reason = str(error).split("\n")[0]
            raise InputError("--scheduler", f"{address}: {reason}", "a Dask scheduler") from None
        self._completed = distributed.as_completed

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
    """The version of this package where it is asked."""
    return __version__


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise InputError("--scheduler", "no dask.distributed", "the extra 'dask'") from None
    return distributed
