"""Certificates on the pebbling game: an own game, own trees, own Padovan numbers.

    logdepth.steps         the largest number of steps for 1, 2, … leaves, by playing all shapes
    logdepth.least-leaves  lower bounds for k = 0, 1, …, by an own dynamic programme, and trees
                           that attain them
    logdepth.lemma         one lemma of the proof on all shapes up to a size
    logdepth.induction     inequalities between Padovan numbers, for all k
    logdepth.extremal, logdepth.combs, logdepth.height

A node is a number; a shape is None (a leaf) or a pair of shapes. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from verify.recheck.errors import Refused, agree, integer, only, sequence, text

Shape = Any
MOST_LEAVES, MOST_STEPS, LONGEST_COMB = 16, 30, 1000
KNOWN, WAITING, MOVING = 0, 1, 2


@cache
def shapes(leaves: int) -> tuple[Shape, ...]:
    """All shapes up to the order of children."""
    if leaves == 1:
        return (None,)
    return tuple(
        (big, small)
        for less in range(1, leaves // 2 + 1)
        for i, small in enumerate(shapes(less))
        for big in (shapes(less)[: i + 1] if 2 * less == leaves else shapes(leaves - less))
    )


class Game:
    """One game, played to the end when it is made; `course[t]` is (marks, pointers) at time t."""

    def __init__(self, shape: Shape) -> None:
        self.pairs: list[tuple[int, int] | None] = []
        self.sizes: list[int] = []
        self.root = self._number(shape)
        count = range(len(self.pairs))
        marks = [KNOWN if self.pairs[v] is None else WAITING for v in count]
        self.course = [(marks, list(count))]
        while any(self.course[-1][0]):
            self.course.append(self._next(*self.course[-1]))
        self.times = [min(t for t, (m, _) in enumerate(self.course) if not m[v]) for v in count]

    def _number(self, shape: Shape) -> int:
        """Number the nodes from the leaves up, without recursion."""
        todo: list[tuple[Shape, bool]] = [(shape, False)]
        done: list[int] = []
        while todo:
            node, ready = todo.pop()
            if node is not None and not ready:
                todo += [(node, True), (node[1], False), (node[0], False)]
                continue
            pair = None if node is None else (done[-2], done[-1])
            del done[len(done) - (2 if pair else 0) :]
            self.pairs.append(pair)
            self.sizes.append(self.sizes[pair[0]] + self.sizes[pair[1]] if pair else 1)
            done.append(len(self.pairs) - 1)
        return done[0]

    def _next(self, marks: list[int], pointers: list[int]) -> tuple[list[int], list[int]]:
        new, moved = marks[:], pointers[:]
        for v, pair in enumerate(self.pairs):
            if pair is None or marks[v] == KNOWN:
                continue
            if marks[v] == MOVING:
                new[v] = KNOWN if marks[pointers[v]] == KNOWN else MOVING
                moved[v] = pointers[pointers[v]]
                continue
            open_ = [child for child in pair if marks[child] != KNOWN]
            if len(open_) < 2:
                new[v] = MOVING if open_ else KNOWN
                moved[v] = open_[0] if open_ else v
        return new, moved

    @property
    def steps(self) -> int:
        """The steps until every node is known."""
        return len(self.course) - 1

    def inner(self) -> list[tuple[int, tuple[int, int]]]:
        """Inner nodes with their children."""
        return [(v, pair) for v, pair in enumerate(self.pairs) if pair is not None]

    def moving(self) -> list[tuple[int, int]]:
        """All (time, node) with the node active."""
        return [(t, v) for t, (m, _) in enumerate(self.course) for v in range(len(m)) if m[v] == 2]

    def woken(self, v: int) -> int | None:
        """The step in which a node becomes active."""
        return next((t for t, (m, _) in enumerate(self.course) if m[v] == MOVING), None)

    def gain(self, t: int, v: int) -> int:
        """Leaves between a node and the node it points to."""
        return self.sizes[v] - self.sizes[self.course[t][1][v]]


def padovan(k: int) -> int:
    """P_k from P_-3 = P_-2 = 1, P_-1 = 2."""
    terms = [1, 1, 2]
    while len(terms) < k + 4:
        terms.append(terms[-2] + terms[-3])
    return terms[k + 3]


def extremal(k: int) -> Shape:
    """(leaf, (t_{k-3}, t_{k-2}))."""
    grown: list[Shape] = [None, (None, None), (None, (None, None))]
    for _ in range(3, k + 1):
        grown.append((None, (grown[-3], grown[-2])))
    return grown[k]


def _off(game: Game) -> bool:
    for v, pair in game.inner():
        t = game.woken(v)
        if t is not None:
            off = pair[0] if game.course[t][1][v] == pair[1] else pair[1]
            if game.times[off] != t - 1:
                return False
    return True


def _waits(game: Game) -> bool:
    return all(
        game.times[child] >= t
        for t, (marks, _) in enumerate(game.course)
        for v, pair in game.inner()
        if t and marks[v] == WAITING
        for child in pair
    )


def _compose(game: Game) -> bool:
    for t, v in game.moving():
        marks, pointers = game.course[t]
        if game.course[t + 1][0][v] == KNOWN:
            continue
        middle = pointers[v]
        if game.course[t + 1][1][v] != pointers[middle] or marks[middle] == KNOWN:
            return False
    return True


def _chain(game: Game) -> bool:
    for t, v in game.moving():
        u = game.course[t][1][v]
        if game.course[t][0][u] == MOVING and game.gain(t, v) + game.gain(t, u) < padovan(t - 2):
            return False
    return True


def _cases(game: Game) -> bool:
    return all(game.times[v] < 3 or _case(game, v, pair) for v, pair in game.inner())


def _case(game: Game, v: int, pair: tuple[int, int]) -> bool:
    k = game.times[v]
    marks, pointers = game.course[k - 2]
    if marks[v] == WAITING:
        return min(game.times[child] for child in pair) >= k - 2
    w = pointers[v]
    if game.times[w] < k - 1:
        return False
    if game.course[k - 3][0][w] == WAITING:
        below = sorted(game.times[child] for child in game.pairs[w] or ())
        return below[0] >= k - 3 and below[1] >= k - 2
    return game.gain(k - 2, v) >= padovan(k - 5)


def _enough(game: Game) -> bool:
    return all(game.sizes[v] >= padovan(t) - 1 for v, t in enumerate(game.times))


def _order(game: Game) -> bool:
    for v, _ in game.inner():
        first = game.woken(v)
        if first is None:
            continue
        x = game.course[first][1][v]
        for marks, pointers in game.course[first:]:
            if marks[x] == KNOWN:
                good = marks[pointers[v]] == KNOWN
            else:
                below = game.sizes[pointers[v]] >= game.sizes[pointers[x]]
                good = marks[v] != KNOWN and below
            if not good:
                return False
    return True


def _after(game: Game) -> bool:
    return all(game.times[v] <= 1 + max(game.times[c] for c in pair) for v, pair in game.inner())


LEMMAS: dict[str, Callable[[Game], bool]] = {
    "off-the-way": _off,
    "inactive-waits": _waits,
    "pointers-compose": _compose,
    "chain-gain": _chain,
    "induction-cases": _cases,
    "enough-leaves": _enough,
    "chain-order": _order,
    "one-after-children": _after,
}


def _all_shapes(body: Mapping[str, Any]) -> list[Shape]:
    leaves = integer(body, "leaves", 1)
    if leaves > MOST_LEAVES:
        raise Refused(f"{leaves} leaves: more than {MOST_LEAVES} are not replayed")
    found = [shape for n in range(1, leaves + 1) for shape in shapes(n)]
    agree("number of shapes", integer(body, "trees", 1), len(found))
    return found


def check_steps(body: Mapping[str, Any]) -> str:
    """Play all shapes of each size and compare with max{k : P_k - 1 ≤ N}."""
    only(body, {"kind", "largest"})
    stated = sequence(body, "largest")
    if not 1 <= len(stated) <= MOST_LEAVES:
        raise Refused(f"expected 1 to {MOST_LEAVES} sizes")
    found = [max(Game(shape).steps for shape in shapes(n)) for n in range(1, len(stated) + 1)]
    agree("largest number of steps", stated, found)
    bounds = [max(k for k in range(n + 1) if padovan(k) - 1 <= n) for n in range(1, len(found) + 1)]
    agree("the Padovan bound", bounds, found)
    return f"all shapes with at most {len(found)} leaves take at most {found[-1]} steps"


def check_least(body: Mapping[str, Any]) -> str:
    """Rerun the dynamic programme and let extremal trees attain what it finds."""
    only(body, {"kind", "least"})
    stated = sequence(body, "least")
    if not 2 <= len(stated) <= 21:
        raise Refused("expected k = 0 up to at most 20")
    agree("least leaves", stated, least_leaves(len(stated)))
    agree("P_k - 1", stated, [padovan(k) - 1 for k in range(len(stated))])
    for k in range(len(stated)):
        agree(f"steps of t_{k}", k, Game(extremal(k)).steps)
    return f"k steps need at least P_k - 1 leaves for k ≤ {len(stated) - 1}"


def least_leaves(count: int) -> list[int]:
    """Least sizes by activation times; a set of times is a number with these bits."""
    known, walks = [1, 2], {0: 0}
    for times in range(1, (1 << (count - 3)) + 1 if count > 2 else 1):
        walks[times] = _walk(times, known, walks)
        if times & (times - 1) == 0:
            known.append(walks[times])
    return known[:count]


def _walk(times: int, known: list[int], walks: dict[int, int]) -> int:
    last = times.bit_length()
    options = [2 * known[last]]
    for a in range(1, last + 1):
        rest = times & ~((1 << (a - 1)) - 1)
        first = (rest & -rest).bit_length()
        between = sum(1 << (t - 1) for t in range(a, first))
        inner = walks[(rest ^ (1 << (first - 1))) | between]
        options.append(known[a - 1] + max(inner, known[a]))
    return min(options)


def check_lemma(body: Mapping[str, Any]) -> str:
    """Ask one lemma of every shape."""
    only(body, {"kind", "lemma", "leaves", "trees"})
    name = text(body, "lemma")
    if name not in LEMMAS:
        raise Refused(f"lemma {name!r} is not known")
    found = _all_shapes(body)
    for shape in found:
        if not LEMMAS[name](Game(shape)):
            raise Refused(f"lemma {name} fails on {shape!r}")
    return f"lemma {name} holds on {len(found)} shapes"


def check_height(body: Mapping[str, Any]) -> str:
    """Compare steps and height on every shape."""
    only(body, {"kind", "leaves", "trees"})
    found = _all_shapes(body)
    if any(Game(shape).steps > _height(shape) for shape in found):
        raise Refused("a shape takes more steps than its height")
    return f"no shape of {len(found)} takes more steps than its height"


def _height(shape: Shape) -> int:
    return 0 if shape is None else 1 + max(_height(shape[0]), _height(shape[1]))


def check_extremal(body: Mapping[str, Any]) -> str:
    """Play t_0, t_1, … and count their leaves."""
    only(body, {"kind", "leaves"})
    stated = sequence(body, "leaves")
    if not 1 <= len(stated) <= MOST_STEPS:
        raise Refused(f"expected at most {MOST_STEPS} trees")
    for k, leaves in enumerate(stated):
        game = Game(extremal(k))
        agree(f"leaves of t_{k}", leaves, game.sizes[game.root])
        agree(f"leaves of t_{k}", leaves, padovan(k) - 1)
        agree(f"steps of t_{k}", k, game.steps)
    return f"t_k takes k steps with P_k - 1 leaves for k < {len(stated)}"


def check_combs(body: Mapping[str, Any]) -> str:
    """Play every comb."""
    only(body, {"kind", "largest"})
    largest = integer(body, "largest", 3)
    if largest > LONGEST_COMB:
        raise Refused(f"combs with more than {LONGEST_COMB} leaves are not replayed")
    comb: Shape = None
    for leaves in range(1, largest + 1):
        wanted = leaves - 1 if leaves < 3 else 2 + (leaves - 2).bit_length() - 1
        agree(f"steps of the comb with {leaves} leaves", wanted, Game(comb).steps)
        comb = (None, comb) if leaves % 3 else (comb, None)
    return f"combs with N ≤ {largest} leaves take 2 + ⌊log2(N-2)⌋ steps"


def check_induction(body: Mapping[str, Any]) -> str:
    """Show each inequality for small indices in numbers, beyond them as a linear form."""
    only(body, {"kind", "inequalities"})
    given = sequence(body, "inequalities")
    if not given:
        raise Refused("no inequality")
    for entry in given:
        only(entry, {"first", "terms", "constant"})
        first, constant = integer(entry, "first", 3), integer(entry, "constant")
        terms = [(integer({"i": i}, "i", 0), integer({"q": q}, "q")) for i, q in entry["terms"]]
        for k in range(first, 40):
            if sum(q * padovan(k - 7 + i) for i, q in terms) + constant < 0:
                raise Refused(f"an inequality fails at index {k}")
        if min(_linear_form(terms, constant)) < 0:
            raise Refused("an inequality has a negative coefficient")
    return f"{len(given)} inequalities between Padovan numbers hold for all k"


def _linear_form(terms: list[tuple[int, int]], constant: int) -> tuple[int, ...]:
    """The sum as (constant, a, x, y) with P_m = 1+a, P_m+1 = 2+a+x, P_m+2 = 3+a+x+y, m ≥ 0."""
    rows = [(1, 1, 0, 0), (2, 1, 1, 0), (3, 1, 1, 1)]
    while len(rows) < 12:
        rows.append(tuple(p + q for p, q in zip(rows[-2], rows[-3], strict=True)))  # type: ignore[arg-type]
    total = [sum(q * rows[4 + i][c] for i, q in terms) for c in range(4)]
    return (total[0] + constant, *total[1:])


VALIDATORS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "logdepth.steps": check_steps,
    "logdepth.least-leaves": check_least,
    "logdepth.lemma": check_lemma,
    "logdepth.induction": check_induction,
    "logdepth.extremal": check_extremal,
    "logdepth.combs": check_combs,
    "logdepth.height": check_height,
}
