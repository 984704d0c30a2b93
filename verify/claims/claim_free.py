"""Stretches of the paper that claim nothing, each with the reason."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Free:
    """Lines of the source without a claim, and why."""

    first: int
    last: int
    reason: str


ANNOUNCES = "announces what follows"
NOTATION = "fixes notation"
UNRELATED = "a question of the form that does not concern this paper"

CLAIM_FREE: tuple[Free, ...] = (
    Free(85, 90, "title and authors"),
    Free(113, 117, NOTATION),
    Free(171, 171, ANNOUNCES),
    Free(181, 181, ANNOUNCES),
    Free(200, 200, ANNOUNCES),
    Free(203, 203, "an intuition; Definition 3.1 makes it precise"),
    Free(251, 251, ANNOUNCES),
    Free(253, 253, "repeats Section 2.3 and announces Definition 4.2"),
    Free(282, 282, ANNOUNCES),
    Free(381, 382, "acknowledgements"),
    Free(394, 394, "heading of the form"),
    Free(401, 401, "heading of the form"),
    Free(408, 408, "heading of the form"),
    Free(416, 416, "heading of the form"),
    Free(420, 422, UNRELATED),
    Free(425, 429, UNRELATED),
    Free(435, 438, "title of the supplement"),
    Free(480, 480, ANNOUNCES),
    Free(593, 593, ANNOUNCES),
    Free(603, 605, ANNOUNCES),
    Free(629, 629, NOTATION),
    Free(633, 634, ANNOUNCES),
    Free(723, 723, ANNOUNCES),
    Free(735, 735, "announces the proof and names the tolerance"),
    Free(744, 744, ANNOUNCES),
    Free(788, 788, "announces the analysis and names the attention filter"),
    Free(825, 825, ANNOUNCES),
    Free(834, 834, ANNOUNCES),
    Free(840, 840, NOTATION),
    Free(869, 869, "heading of a step"),
    Free(912, 912, ANNOUNCES),
    Free(935, 935, ANNOUNCES),
)
