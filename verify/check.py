"""A check: one small function that asks a construction or a formula whether claims hold.

A check is registered by the decorator `check`, which names the claims it may speak of, the
profile it belongs to and what it needs. The function gets a `Job` and yields `Evidence`; its
docstring says, in one sentence, what it does. Checks are deterministic: same job, same evidence.

    @check("lem1.matmul")
    def the_tensor_multiplies_for_all_n(job: Job) -> Iterator[Evidence]:
        '''Sum the Kronecker deltas of the tensor with symbolic n.'''
        ...
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from verify.evidence import Evidence


class Profile(StrEnum):
    """How long a run may take: `quick` is minutes, `full` is everything."""

    QUICK = "quick"
    FULL = "full"


@dataclass(frozen=True)
class Job:
    """What a check may know of its run."""

    profile: Profile = Profile.QUICK
    pautomac: Path | None = None
    paper: Path | None = None

    @property
    def full(self) -> bool:
        """Whether the long checks are wanted."""
        return self.profile is Profile.FULL


Body = Callable[[Job], Iterator[Evidence]]


@dataclass(frozen=True)
class Check:
    """A registered check: its name, the claims it speaks of, its profile and its needs."""

    id: str
    claims: tuple[str, ...]
    body: Body
    profile: Profile
    needs: tuple[str, ...]

    @property
    def title(self) -> str:
        """The first line of the check's docstring."""
        return (self.body.__doc__ or "").strip().split("\n", maxsplit=1)[0]


REGISTERED: dict[str, Check] = {}


def check(
    *claims: str, profile: Profile = Profile.QUICK, needs: tuple[str, ...] = ()
) -> Callable[[Body], Body]:
    """Register a check that speaks of `claims`; `needs` may name `coq`, `pautomac`, `paper`."""

    def register(body: Body) -> Body:
        name = f"{body.__module__.rpartition('.')[2]}.{body.__name__}"
        if name in REGISTERED:
            raise ValueError(f"two checks are called {name}")
        if not claims:
            raise ValueError(f"check {name} names no claim")
        REGISTERED[name] = Check(name, claims, body, profile, needs)
        return body

    return register
