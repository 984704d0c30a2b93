"""Inputs by grammar, from any source of randomness: numbers, automata, trees, records, commands.

Each function takes a `random.Random`. Hypothesis gives one that it can shrink (`st.randoms`), the
soak one from a seed. Most of what is made is right or nearly so, because what is wrong from the
first character on never gets beyond the reader.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

DIGITS = ("0123456789", "٠١٢٣٤٥٦٧٨٩", "０１２３４５６７８９", "⁰¹²³⁴⁵⁶⁷⁸⁹", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗")
ODD = (
    *("", "NaN", "-Infinity", "1e", ".", "--1", "1/0", "0x10", "1_0", " 1", "1 / 2", "∞", "1/2/3"),
    *(
        "9" * 4001,
        "9" * 9000,
        "1e4000",
        "1e4001",
        "1e-4001",
        "1e999999999",
        "1e²",
        "½",
        "1\u20602",
        "1e+٣",
        "-0",
    ),
)
LARGE = ("1e400", "-1e400", "1e308", "1e200", "1e-400", "1e-320", "1e3999", "1e-3999", "2e-308")
PLAIN = ("0", "1", "-1", "1/2", "0.25", "3", "1/3", "1e-3", "-7/9", "0.1")


def digits(r: Random) -> str:
    """A whole number in the digits of some script."""
    script = r.choice(DIGITS) if r.random() < 0.2 else DIGITS[0]
    return "".join(r.choice(script) for _ in range(r.choice((1, 1, 2, 3, 12))))


def number(r: Random) -> str:
    """A number: sign, whole part, fraction, exponent, each perhaps; or one of the odd ones."""
    if r.random() < 0.1:
        return r.choice(ODD)
    if r.random() < 0.2:
        return r.choice(LARGE)
    text = r.choice(("", "", "-", "+")) + digits(r)
    if r.random() < 0.3:
        return f"{text}/{digits(r)}"
    text += f".{digits(r)}" if r.random() < 0.4 else ""
    return text + (f"{r.choice('eE')}{r.choice(('', '-', '+'))}{digits(r)}" * (r.random() < 0.4))


def weight(r: Random, kind: str) -> str:
    """A weight of an automaton: `plain`, `zero`, `large`, or `any`."""
    if kind == "any":
        return number(r)
    return "0" if kind == "zero" else r.choice(LARGE if kind == "large" else PLAIN)


def tensor(r: Random, kind: str, *shape: int) -> Any:
    """Weights in that shape."""
    if not shape:
        return weight(r, kind)
    return [tensor(r, kind, *shape[1:]) for _ in range(shape[0])]


def automaton(r: Random, kind: str = "", most: int = 4) -> str:
    """A file with an automaton over words or trees; `kind` says of what its weights are."""
    kind = kind or r.choice(("plain", "plain", "plain", "zero", "large", "any"))
    n = r.randint(1, most)
    letters = r.choice((("a",), ("a", "b"), ("red", "blue"), ("é", "\u202e")))
    if r.random() < 0.5:
        rows = {letter: tensor(r, kind, n, n) for letter in letters}
        body: dict[str, Any] = {"kind": "wfa", "transitions": rows, "beta": tensor(r, kind, n)}
    else:
        leaves = {letter: tensor(r, kind, n) for letter in letters}
        body = {"kind": "wta", "tensor": tensor(r, kind, n, n, n), "leaves": leaves}
    return json.dumps({**body, "alpha": tensor(r, kind, n)})


def pautomac(r: Random) -> str:
    """A PAutomaC model; its probabilities may be anything."""
    n, letters = r.randint(1, 3), r.randint(1, 2)
    kind = r.choice(("plain", "zero", "large", "any"))
    lines = ["I: (state)", *(f"\t({q}) {weight(r, kind)}" for q in range(n)), "F: (state)"]
    lines += [f"\t({q}) {weight(r, kind)}" for q in range(n)]
    lines.append("S: (state,symbol)")
    lines += [f"\t({q},{s}) {weight(r, kind)}" for q in range(n) for s in range(letters)]
    lines.append("T: (state,symbol,state)")
    lines += [
        f"\t({q},{s},{p}) {weight(r, kind)}"
        for q in range(n)
        for s in range(letters)
        for p in range(n)
    ]
    return "\n".join(lines) + "\n"


def tree(r: Random, depth: int = 4) -> str:
    """The string of a tree."""
    if depth == 0 or r.random() < 0.3:
        return r.choice("aabé")
    return f"[{tree(r, depth - 1)}{tree(r, depth - 1)}]"


def edited(r: Random, text: str) -> str:
    """A text with a few pieces cut out, doubled or replaced."""
    for _ in range(r.choice((0, 0, 1, 1, 2, 3))):
        start = r.randint(0, len(text))
        stop = min(len(text), start + r.randint(0, 6))
        piece = r.choice(("", text[start:stop] * 2, number(r), "\x1b[2J", "\u202e", '"', "]", "{"))
        text = text[:start] + piece + text[stop:]
    return text


def length(r: Random) -> str:
    """T: mostly small, sometimes extreme."""
    if r.random() < 0.75:
        return r.choice(("1", "2", "3", "4", "7", "8", "16", "31", "64"))
    return r.choice(("1", "2", "3", "4", "7", "8", "16", "31", "64", "0", "-1", "512", "65536",
                     "10000000", "1" + "0" * 21, "9" * 5000, number(r)))  # fmt: skip


def epsilon(r: Random) -> str:
    """ε: mostly small, sometimes extreme."""
    if r.random() < 0.75:
        return r.choice(("1e-6", "1e-3", "1/10", "1"))
    return r.choice(("1e-6", "1e-3", "1/10", "1", "1000", "1e400", "1e-400", "1e-4000", "0", "-1",
                     number(r)))  # fmt: skip


def family(r: Random) -> str:
    """A family of `assay sweep` with parameters that may not fit."""
    name = r.choice(("scalar", "counting", "k-counting", "rotation", "permutation", "nilpotent",
                     "hmm", "pfa", "random", "none"))  # fmt: skip
    value = r.choice(("2", "3", "1/8", "1", "9" * 5000, number(r)))
    return ":".join([name, *[value] * r.choice((0, 1, 1, 1, 2))])


ATOMS: tuple[Callable[[Random], Any], ...] = (
    lambda r: None,
    lambda r: True,
    lambda r: 10 ** r.randint(0, 40),
    lambda r: r.choice(("", "x", "\x1b[31m", "a\nb", "\u202e", "thm1")),
    lambda r: [],
    lambda r: {},
    lambda r: [[1]],
    lambda r: {"id": 1},
)


def changed(r: Random, data: Any, odds: float = 0.25) -> Any:
    """Plain data with one value in it replaced, left out or doubled."""
    if not isinstance(data, (dict, list)) or not data or r.random() < odds:
        return r.choice(ATOMS)(r)
    if isinstance(data, list):
        i = r.randrange(len(data))
        piece = r.choice(([], [data[i]] * 2, [changed(r, data[i], odds)]))
        return [*data[:i], *piece, *data[i + 1 :]]
    key = r.choice(sorted(data))
    if r.random() < odds:
        return {k: v for k, v in data.items() if k != key}
    return {**data, key: changed(r, data[key], odds)}
