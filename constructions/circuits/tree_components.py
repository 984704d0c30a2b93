"""The components and edges of a tree decoder: forms of its heads, what its blocks read and write.

Heads       mean, previous (layer 0) · match, near (layer 2) · near, far, pointer (later); libraries want as
            many heads in every layer, so that others are idle: they add nothing
Blocks      depth · square · begin, the first step · step, which is repeated (see `tree_machine`)
Edges       from every component to every later input, as the residual stream has them; an edge carries what
            its source writes and its target reads, most often nothing
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from constructions.circuits.circuit import EMBED, KEY, LOGITS, QUERY, STREAM, Component, Edge
from constructions.circuits.components import inputs, precedes
from constructions.circuits.tree_circuit import STATE, Copy, Form, TreeHead

ONE = ("one", 0, Fraction(1))
NODE = ("matrix", STATE, "known", "inactive", "pointer")
BROUGHT = ("near", "near_state", "far", "far_state")
READ = ("read_matrix", "read_state", "read_known")
STEP_READS = ("one", "index", "left", *BROUGHT, *READ, "read_pointer")
BLOCK_READS = {
    "depth": ("one", "index", "near", "known", "inactive"),
    "square": ("read_pointer",),
    "begin": STEP_READS,
    "step": (*STEP_READS, "matrix", "known", "inactive", "pointer"),
    "readout": (STATE,),
}
STEP_WRITES = (*NODE, *BROUGHT, *READ, "read_pointer")
WRITES = {
    "embed": ("one", "index", "square", *NODE),
    "depth": ("near", "read_pointer"),
    "square": ("read_matrix",),
    "begin": STEP_WRITES,
    "step": STEP_WRITES,
}


def form(**coefficients: int) -> Form:
    """A form of features that are one number each; `read_matrix` stands for its first entry."""
    return tuple((name, 0, Fraction(value)) for name, value in coefficients.items())


def sizes(n: int) -> dict[str, int]:
    """How many numbers each feature is."""
    single = ("one", "index", "square", "left", "known", "inactive", "pointer", "near", "far",
              "read_known", "read_pointer")  # fmt: skip
    states = (STATE, "near_state", "far_state", "read_state")
    return dict.fromkeys(single, 1) | dict.fromkeys(states, n) | dict.fromkeys(
        ("matrix", "read_matrix"), n * n)  # fmt: skip


def block_copies(n: int, **targets: str) -> tuple[Copy, ...]:
    """Every entry of some features copied to others."""
    count = sizes(n)
    return tuple((((source, i, Fraction(1)),), target, i)
                 for source, target in targets.items() for i in range(count[source]))  # fmt: skip


def following(pointer: Form) -> tuple[tuple[Form, ...], tuple[Form, ...]]:
    """Query and key of 2qj - j²: the position nearest to q."""
    twice = tuple((name, i, 2 * value) for name, i, value in pointer)
    return (twice, (ONE,)), (form(index=1), form(square=-1))


def heads_by_kind(n: int, length: int) -> dict[str, TreeHead]:
    """Every head of the construction for trees of at most `length` tokens; W = T + 1."""
    w = length + 1
    counted = form(one=1, known=-1, inactive=-2)
    key = form(read_matrix=-w, inactive=-w, index=1)
    listed = {
        "mean": ((), (), ((counted, "near", 0),)),
        "previous": (
            *following(form(index=1, one=-1)),
            block_copies(n, known="read_known", state="read_state"),
        ),
        "match": (
            (form(read_pointer=2 * w, one=2 * w * (1 - w), inactive=2 * w * w), (ONE,)),
            (form(read_pointer=1), key),
            ((form(index=1, one=-1), "left", 0),
             *block_copies(n, read_known="far", read_state="far_state")),
        ),
        "near": (
            *following(form(index=1, one=-1 - w, inactive=w)),
            block_copies(n, known="near", state="near_state"),
        ),
        "far": (
            *following(form(left=1, one=-w, inactive=w)),
            block_copies(n, known="far", state="far_state"),
        ),
        "pointer": (
            *following(form(pointer=1)),
            block_copies(n, matrix="read_matrix", state="read_state", known="read_known",
                         pointer="read_pointer"),
        ),
    }  # fmt: skip
    return {kind: TreeHead("", kind, query=query, key=key, copies=copies)
            for kind, (query, key, copies) in listed.items()}  # fmt: skip


def kinds_of_layer(layer: int) -> tuple[tuple[str, ...], str]:
    """The heads of a layer, and its block."""
    first = {0: (("mean", "previous"), "depth"), 1: ((), "square"), 2: (("match", "near"), "begin")}
    return first.get(layer, (("near", "far", "pointer"), "step"))


def tree_components(n: int, length: int, layers: int, heads: int) -> tuple[Component, ...]:
    """Embedding, heads and a block a layer, logits."""
    kinds = heads_by_kind(n, length)
    listed: list[Component] = [Component(EMBED, "embed")]
    for layer in range(layers):
        names, block = kinds_of_layer(layer)
        for head in range(heads):
            own = kinds[names[head]] if head < len(names) else TreeHead("", "idle")
            listed.append(TreeHead(f"head {layer}.{head}", own.kind, layer, head, None,
                                   own.query, own.key, own.copies))  # fmt: skip
        listed.append(Component(f"mlp {layer}", block, layer))
    return (*listed, Component(LOGITS, "readout", layers - 1))


def reads(part: Component, side: str) -> tuple[str, ...]:
    """The features that an input of a component reads."""
    if not isinstance(part, TreeHead):
        return BLOCK_READS.get(part.kind, ()) if side == STREAM else ()
    read = {QUERY: part.query, KEY: part.key}.get(side, tuple(copy[0] for copy in part.copies))
    return tuple(dict.fromkeys(name for each in read for name, _, _ in each))


def writes(part: Component) -> tuple[str, ...]:
    """The features that a component adds to."""
    if isinstance(part, TreeHead):
        return tuple(dict.fromkeys(target for _, target, _ in part.copies))
    return WRITES.get(part.kind, ())


def tree_edges(parts: tuple[Component, ...]) -> tuple[Edge, ...]:
    """All edges, with what they carry."""
    return tuple(_edges(parts))


def _edges(parts: tuple[Component, ...]) -> Iterator[Edge]:
    for source in parts:
        for target in parts:
            if precedes(source, target):
                for side in inputs(target):
                    read = reads(target, side)
                    carried = tuple(name for name in writes(source) if name in read)
                    yield Edge(source.name, target.name, side, carried)
