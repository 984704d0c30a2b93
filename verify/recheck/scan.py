"""Certificates of the scan, confirmed with intervals and recursion instead of words and loops.

`scan.wrong`       what a rule leaves for x_0 … x_n, the smallest n for which that is wrong
`scan.right`       a rule that is right for 1 … longest inputs, with the number of combinations
`scan.zero`        one input, for which log₂ n does not exist
`scan.rounds`      ⌊log₂ n⌋ + 1 is the least number of doublings that passes n, for n up to a limit
`scan.operations`  combinations of the scan of 2^k inputs
`scan.layers`      letters held by the tokens of Theorem 1 over all layers, by windows
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from verify.recheck.errors import Refused, agree, integer, only, sequence, text

Body = Mapping[str, Any]
Indices = tuple[int, ...] | None
LARGEST = 1 << 17


def _doublings(count: int) -> int:
    """The least k with 2^k ≥ count."""
    k, reach = 0, 1
    while reach < count:
        k, reach = k + 1, 2 * reach
    return k


@cache
def _value(rule: str, last: int, time: int, j: int) -> Indices:
    """x_j at a time, by recursion on time."""
    if time == 0:
        return (j,)
    if rule.startswith("printed") and rule != "printed-order" and j == last:
        return None
    own = _value(rule, last, time - 1, j)
    back = 1 << (time - 1)
    if j < back or own is None:
        return own
    before = _value(rule, last, time - 1, j - back)
    if before is None:
        return None
    return before + own if rule == "log-rounds" else own + before


def _ascending(last: int) -> list[Indices]:
    """In place, upwards: the value before is that of the same round, if that round changed it."""
    held: list[tuple[int, ...]] = [(j,) for j in range(last + 1)]
    for i in range(_doublings(last + 1)):
        for j in range(1 << i, last + 1):
            held[j] = held[j - (1 << i)] + held[j]
    return list(held)


def _left(rule: str, last: int) -> list[Indices]:
    """What a rule leaves for x_0 … x_n."""
    if rule == "ascending":
        return _ascending(last)
    rounds = _doublings(last + 1) - (1 if rule == "log-rounds" else 0)
    row = [_value(rule, last, rounds, j) for j in range(last + 1)]
    if rule == "printed-commutative":
        return [None if item is None else tuple(sorted(item)) for item in row]
    return row


WRONG = ("printed", "printed-commutative", "printed-order", "log-rounds", "ascending")


def wrong(body: Body) -> str:
    """The smallest input on which a rule errs."""
    only(body, {"kind", "rule", "last", "found"})
    rule, last = text(body, "rule"), integer(body, "last", 1)
    if rule not in WRONG or last > 64:
        raise Refused(f"rule {rule!r} with n = {last}: not known")
    for n in range(1, last + 1):
        row = _left(rule, n)
        right = row == [tuple(range(j + 1)) for j in range(n + 1)]
        if right == (n == last):
            raise Refused(f"rule {rule}: n = {n} is {'right' if right else 'wrong already'}")
    stated = [None if item is None else list(item) for item in _left(rule, last)]
    agree("what the rule leaves", sequence(body, "found"), stated)
    return f"rule {rule} errs first for n = {last}: {stated}"


def _joins(last: int, descending: bool) -> int:
    """Run the rounds on intervals (start, end); refuse a gap; count the combinations."""
    held = [(j, j) for j in range(last + 1)]
    made = 0
    for i in range(_doublings(last + 1)):
        back = 1 << i
        earlier = held if descending else list(held)
        for j in range(last, back - 1, -1):
            (start, end), (begin, stop) = earlier[j - back], held[j]
            if end + 1 != begin:
                raise Refused(f"n = {last}: windows at {j - back} and {j} do not join")
            held[j] = (start, stop)
            made += 1
    if held != [(0, j) for j in range(last + 1)]:
        raise Refused(f"n = {last}: an output is no running product")
    return made


def right(body: Body) -> str:
    """A rule that gives every running product."""
    only(body, {"kind", "rule", "longest", "combinations"})
    rule, longest = text(body, "rule"), integer(body, "longest", 1)
    if rule not in ("repaired", "commutative", "descending") or longest > 1024:
        raise Refused(f"rule {rule!r} for {longest} inputs: not known")
    made = sum(_joins(n, rule == "descending") for n in range(longest))
    agree("combinations", integer(body, "combinations"), made)
    return f"rule {rule} gives all running products of 1 … {longest} inputs"


def zero(body: Body) -> str:
    """One input: no power of two is 0, so log₂ n does not exist."""
    only(body, {"kind", "last"})
    agree("n", integer(body, "last"), 0)
    return "for n = 0 the loop's bound log₂ 0 is undefined"


def rounds(body: Body) -> str:
    """⌊log₂ n⌋ + 1 rounds, by doubling."""
    only(body, {"kind", "largest", "total"})
    largest = integer(body, "largest", 1)
    if largest > LARGEST:
        raise Refused(f"largest {largest}: expected at most {LARGEST}")
    total = power = 0
    for n in range(1, largest + 1):
        if n == 1 << (power + 1):
            power += 1
        if _doublings(n + 1) != power + 1:
            raise Refused(f"n = {n}: {power + 1} rounds are not the least number")
        total += power + 1
    agree("rounds in total", integer(body, "total"), total)
    return f"⌊log₂ n⌋ + 1 = ⌈log₂ (n + 1)⌉ for n = 1 … {largest}"


def operations(body: Body) -> str:
    """Combinations of the scan of 2^k inputs: pairs of a round and a position it changes."""
    only(body, {"kind", "powers"})
    table = sequence(body, "powers", 10)
    for k, row in enumerate(table, 1):
        agree(f"row {k}", row, [k, sum((1 << k) - (1 << i) for i in range(k))])
        agree(f"closed form for 2^{k}", row[1], k * (1 << k) - (1 << k) + 1)
    return f"2^k inputs take k 2^k - 2^k + 1 combinations, k = 1 … {len(table)}"


def layers(body: Body) -> str:
    """Letters held over all layers: position t holds min(t, 2^l) after layer l."""
    only(body, {"kind", "lengths", "letters"})
    lengths = sequence(body, "lengths")
    if not lengths or any(type(t) is not int or not 1 <= t <= 4096 for t in lengths):
        raise Refused(f"field 'lengths': {lengths!r}")
    if lengths != sorted(set(lengths)):
        raise Refused("field 'lengths': expected ascending lengths")
    agree("letters", sequence(body, "letters", len(lengths)), [_held(t) for t in lengths])
    return f"after layer l position t holds its last min(t, 2^l) letters, T up to {lengths[-1]}"


def _held(length: int) -> int:
    """Run the shifts on intervals of positions, pads empty, and add up what positions hold."""
    depth = _doublings(length)
    span = 1 << depth
    held = {t: (t, t) if 1 <= t <= length else None for t in range(1 - span, span + 1)}
    total = 0
    for layer in range(depth):
        held = {t: _joined(held.get(t - (1 << layer)), held[t]) for t in held}
        for t in range(1, length + 1):
            agree(f"window of {t}", held[t], (max(1, t + 1 - (2 << layer)), t))
            total += min(t, 2 << layer)
    return total


def _joined(left: tuple[int, int] | None, own: tuple[int, int] | None) -> tuple[int, int] | None:
    if left is None or own is None:
        return own or left
    if left[1] + 1 != own[0]:
        raise Refused(f"windows {left} and {own} do not join")
    return left[0], own[1]


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "scan.wrong": wrong,
    "scan.right": right,
    "scan.zero": zero,
    "scan.rounds": rounds,
    "scan.operations": operations,
    "scan.layers": layers,
}
