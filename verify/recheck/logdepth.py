"""Certificates on the log-depth construction: states, the step as polynomials, sizes.

    logdepth.states  all labelled ordered shapes are evaluated by recursion on the tree, and the hash
                     of the states is compared with the one of what the transformer returned
    logdepth.step    the products of the layer, by name, are multiplied out with own polynomials and
                     compared with M', b', f', g', c'
    logdepth.sizes   widths and numbers of products from their formulas

Standard library only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence
from verify.recheck.logdepth_game import Game

Tree = Any
Term = tuple[str, ...]
Poly = dict[Term, int]
LETTERS = "abcd"


def ordered(leaves: int) -> Iterator[Tree]:
    """All ordered shapes, smaller left subtrees first; a leaf is None."""
    if leaves == 1:
        yield None
    for left in range(1, leaves):
        for one in ordered(left):
            for other in ordered(leaves - left):
                yield (one, other)


class Machine:
    """A WTA from plain data."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        rows = sequence(body, "tensor")
        n = len(rows)
        self.tensor = [[[fraction(w) for w in row] for row in part] for part in rows]
        if any(len(part) != n or any(len(row) != n for row in part) for part in self.tensor):
            raise Refused("the tensor is not n × n × n")
        leaves = body.get("leaves")
        if not isinstance(leaves, dict) or set(leaves) != set(LETTERS):
            raise Refused(f"field 'leaves': expected vectors for {LETTERS}")
        self.leaves = {letter: [fraction(w) for w in v] for letter, v in leaves.items()}
        if any(len(v) != n for v in self.leaves.values()):
            raise Refused("a leaf vector has another length")

    def combine(self, left: list[Fraction], right: list[Fraction]) -> list[Fraction]:
        """Σ T_ijk left_j right_k."""
        n = range(len(self.tensor))
        return [sum(self.tensor[i][j][k] * left[j] * right[k] for j in n for k in n) for i in n]  # type: ignore[misc]

    def walk(self, tree: Tree, letters: Iterator[str]) -> tuple[str, list[list[Fraction]]]:
        """(string, states in the order of I_t): the state of the tree itself comes first."""
        if tree is None:
            letter = next(letters)
            return letter, [self.leaves[letter]]
        left_text, left = self.walk(tree[0], letters)
        right_text, right = self.walk(tree[1], letters)
        own = self.combine(left[0], right[0])
        return f"[{left_text}{right_text}]", [own, *left, *right]


def check_states(body: Mapping[str, Any]) -> str:
    """Evaluate every labelled shape and compare numbers, steps and hashes."""
    only(body, {"kind", "tensor", "leaves", "trees", "nodes", "steps", "digests"})
    machine, digests = Machine(body), sequence(body, "digests")
    if not 1 <= len(digests) <= 9:
        raise Refused("expected 1 to 9 sizes")
    fields = [sequence(body, name, len(digests)) for name in ("trees", "nodes", "steps")]
    for leaves, digest in enumerate(digests, 1):
        hashed, trees, nodes, steps = hashlib.sha256(), 0, 0, 0
        for m, shape in enumerate(ordered(leaves)):
            letters = (LETTERS[(3 * m + k * k + k // 2) % 4] for k in range(leaves))
            string, states = machine.walk(shape, letters)
            written = " ".join(",".join(str(value) for value in state) for state in states)
            hashed.update(f"{string} {written}\n".encode())
            trees, nodes = trees + 1, nodes + len(states)
            steps = max(steps, Game(shape).steps)
        found = [trees, nodes, steps]
        agree(f"counts at {leaves} leaves", [field[leaves - 1] for field in fields], found)
        agree(f"hash of the states at {leaves} leaves", digest, hashed.hexdigest())
    return f"the states of all {sum(fields[0])} labelled shapes, n = {len(machine.tensor)}"


def poly(text: Any) -> Poly:
    """A coefficient: an integer, a name, or minus a name."""
    if not isinstance(text, str) or not text:
        raise Refused(f"{text!r} is no coefficient")
    sign, bare = (-1, text[1:]) if text[0] == "-" else (1, text)
    if bare.isdigit():
        return {(): sign * int(bare)} if int(bare) else {}
    return {(bare,): sign}


def plus(*parts: Poly) -> Poly:
    """The sum of polynomials."""
    total: Poly = {}
    for part in parts:
        for term, value in part.items():
            total[term] = total.get(term, 0) + value
    return {term: value for term, value in total.items() if value}


def times(*parts: Poly) -> Poly:
    """The product of polynomials."""
    total: Poly = {(): 1}
    for part in parts:
        grown: Poly = {}
        for (s, p), (t, q) in product(total.items(), part.items()):
            term = tuple(sorted(s + t))
            grown[term] = grown.get(term, 0) + p * q
        total = {term: value for term, value in grown.items() if value}
    return total


def var(name: str, offset: int = 0) -> Poly:
    """A coordinate; the constant one is 1."""
    return {(): 1} if name == "one" else {(f"{name}_{offset}",): 1}


def _form(entries: Any) -> Poly:
    if not isinstance(entries, list) or not entries:
        raise Refused("a unit without a form")
    return plus(*(times(poly(weight), var(name, offset)) for name, offset, weight in entries))


def check_step(body: Mapping[str, Any]) -> str:
    """Multiply the units out and compare every coordinate with its formula."""
    only(body, {"kind", "n", "units"})
    n, units = integer(body, "n", 1), sequence(body, "units")
    if n > 3:
        raise Refused("n > 3 is not multiplied out")
    found: dict[tuple[str, int], Poly] = {}
    for unit in units:
        only(unit, {"left", "right", "output"})
        value = times(_form(unit["left"]), _form(unit["right"]))
        for name, offset, weight in unit["output"]:
            old = found.get((name, offset), {})
            found[name, offset] = plus(old, times(poly(weight), value))
    wanted = step(n)
    agree("coordinates", sorted(found), sorted(wanted))
    for at, formula in wanted.items():
        if found[at] != formula:
            raise Refused(f"{at[0]}[{at[1]}] is not what the step says")
    return f"{len(units)} products give M', b', f', g', c' for a generic tensor, n = {n}"


def step(n: int) -> dict[tuple[str, int], Poly]:
    """The formulas, from the definition of the step."""
    one: Poly = {(): 1}
    left, right, f, g = (
        var(name) for name in ("near_pebbled", "far_pebbled", "pebbled", "inactive")
    )
    some = plus(left, right, negated(times(left, right)))
    kept = ("one", "index", "square", "end", "open", "close", "first", "depth", "depth_squared")
    wanted = {(name, 0): var(name) for name in kept}
    wanted["pebbled", 0] = plus(
        f,
        times(plus(one, negated(f), negated(g)), var("next_pebbled")),
        times(left, right),
    )
    wanted["inactive", 0] = plus(g, negated(some))
    far = plus(var("far_place"), negated(var("index")))
    wanted["pointer", 0] = plus(var("next_pointer"), times(left, far), right)
    for a in range(n):
        wanted["state", a] = _state(n, a)
        for q in range(n):
            diagonal = negated(some) if a == q else {}
            wanted["matrix", a * n + q] = plus(_matrix(n, a, q, left, right), diagonal)
    return wanted


def negated(value: Poly) -> Poly:
    """-p."""
    return {term: -number for term, number in value.items()}


def _tensor(a: int, j: int, k: int) -> Poly:
    return {(f"t_{a}_{j}_{k}",): 1}


def _state(n: int, a: int) -> Poly:
    moved = [times(var("matrix", a * n + k), var("next_state", k)) for k in range(n)]
    made = [
        times(_tensor(a, j, k), var("near_state", j), var("far_state", k))
        for j, k in product(range(n), repeat=2)
    ]
    return plus(var("state", a), *moved, *made)


def _matrix(n: int, a: int, q: int, left: Poly, right: Poly) -> Poly:
    one: Poly = {(): 1}
    chain = [times(var("matrix", a * n + k), var("next_matrix", k * n + q)) for k in range(n)]
    known_left = plus(*(times(_tensor(a, j, q), var("near_state", j)) for j in range(n)))
    known_right = plus(*(times(_tensor(a, q, k), var("far_state", k)) for k in range(n)))
    first = times(plus(one, negated(right)), known_left)
    second = times(plus(one, negated(left)), known_right)
    return plus(*chain, first, second)


def check_sizes(body: Mapping[str, Any]) -> str:
    """Recount coordinates, reads and products from the blocks of a token."""
    only(body, {"kind", "rows"})
    rows = sequence(body, "rows")
    if not rows:
        raise Refused("no row")
    for row in rows:
        only(row, {"n", "pointer", "embedding", "heads", "reads", "units"})
        n, width = integer(row, "n", 1), integer(row, "pointer", 1)
        if width > 2:
            raise Refused("a pointer has one or two coordinates")
        static = 8 + width
        embedding = static + 2 + width + n * n + n
        reads = embedding + 2 * (n + 1) + width + n * n + n + 1 + width
        units = static + n**3 + 2 * n**2 + 3 * n + 5 + 3 * width
        agree("embedding", integer(row, "embedding"), embedding)
        agree("reads", integer(row, "reads"), reads)
        agree("products", integer(row, "units"), units)
        agree("heads", integer(row, "heads"), 4)
    return f"sizes for {len(rows)} models: n² + O(n) coordinates, n³ + O(n²) products"


VALIDATORS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "logdepth.states": check_states,
    "logdepth.step": check_step,
    "logdepth.sizes": check_sizes,
}
