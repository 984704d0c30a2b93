"""What a figure rests on, and whether a format suffices: words that never say more than was shown."""

from __future__ import annotations

from fractions import Fraction

from verify import expectation


def recorded() -> dict[str, str]:
    """The verdicts that the registry records, by claim."""
    return expectation.expected(expectation.load(), "quick", ())


def by_claim(*claims: str) -> str:
    """What a figure rests on: claims, each with its recorded verdict where there is one."""
    verdicts = recorded()
    return ", ".join(
        f"{claim} ({verdicts[claim]})" if claim in verdicts else claim for claim in claims
    )


def suffices(certified: bool, seen: float | None, eps: Fraction) -> str:
    """Whether a format is enough: certainly, as far as was seen, or not."""
    if certified:
        return "certified"
    if seen is None:
        return "unknown"
    return "on samples" if seen == seen and seen != float("inf") and seen <= eps else "no"
