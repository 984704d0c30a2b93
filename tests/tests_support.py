"""Small things that several tests share."""

from verify.claims.model import Claim, Kind, Location, Severity


def claim(name: str, **more) -> Claim:
    """A claim with nothing in it but its name."""
    return Claim(
        name,
        "A title",
        Kind.TEXT,
        Location("1", (1, 2)),
        "It holds.",
        "a case where it does not",
        Severity.MATERIAL,
        **more,
    )
