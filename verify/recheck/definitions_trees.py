"""Certificates of small cases on trees and grammars, confirmed from strings and integers.

Trees are read by counting brackets and their values computed from the innermost pair outwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence

Body = Mapping[str, Any]
LEAVES = {"a": 1, "b": 5}


@cache
def _catalan(count: int) -> int:
    """Binary trees with so many leaves, by splits."""
    if count == 1:
        return 1
    return sum(_catalan(k) * _catalan(count - k) for k in range(1, count))


def catalan(body: Body) -> str:
    """Numbers of trees."""
    only(body, {"kind", "counts"})
    counts = sequence(body, "counts", 6)
    agree("numbers of trees", counts, [_catalan(n) for n in range(1, 7)])
    return f"trees with 1 to 6 leaves: {counts}"


def two_meanings(body: Body) -> str:
    """A leaf (a, a) with its own vector, and the node (a, a) of two leaves a."""
    only(body, {"kind", "leaf", "node"})
    leaf, node = fraction(body["leaf"]), fraction(body["node"])
    agree("v_(a,a) and T · v_a · v_a", (leaf, node), (5, 1))
    return f"one tree, two states: {leaf} and {node}"


def multilinear(body: Body) -> str:
    """Additivity and homogeneity of Σ T x y at integers."""
    only(body, {"kind", "sizes"})
    agree("sizes", sequence(body, "sizes"), [1, 2])
    for n in (1, 2):
        x, y, z = [list(range(k, k + n)) for k in (2, 5, 11)]
        moved = [a + 7 * b for a, b in zip(x, y, strict=True)]
        for i in range(n):
            left = _form(n, i, moved, z) - _form(n, i, x, z) - 7 * _form(n, i, y, z)
            right = _form(n, i, z, moved) - _form(n, i, z, x) - 7 * _form(n, i, z, y)
            agree("difference", (left, right), (0, 0))
    return "the tensor's map is linear in both arguments for n = 1, 2"


def _form(n: int, i: int, left: Sequence[int], right: Sequence[int]) -> int:
    return sum((3 + i + 2 * j + 5 * k) * left[j] * right[k] for j, k in product(range(n), repeat=2))


def subtrees(body: Body) -> str:
    """A tree with N leaves has 2N - 1 subtrees."""
    only(body, {"kind", "leaves", "subtrees"})
    most = integer(body, "leaves", 1)
    if most > 12:
        raise Refused(f"{most} leaves: expected at most 12")
    count = sum(_catalan(n) * (2 * n - 1) for n in range(1, most + 1))
    agree("subtrees", integer(body, "subtrees"), count)
    return f"{count} subtrees of the trees with up to {most} leaves"


def comb_of_word(body: Body) -> str:
    """Run a word through a comb: state, then letter as the right child."""
    only(body, {"kind", "sizes"})
    sizes = sequence(body, "sizes", 3)
    agree("sizes", sizes, [[1, 1], [2, 2], [3, 1]])
    for n, letters in sizes:
        for word in product(range(letters), repeat=3):
            row = list(range(1, n + 1))
            tree = row + [0] * letters
            for letter in word:
                step = [[2 + letter + i + 3 * j for j in range(n)] for i in range(n)]
                row = [sum(row[i] * step[i][j] for i in range(n)) for j in range(n)]
                leaf = [0] * n + [int(k == letter) for k in range(letters)]
                tree = _tooth(tree, leaf, n, letters)
            agree(f"comb of {word}", tree, row + [0] * letters)
    return f"combs take a WFA's steps for {len(sizes)} sizes"


def _tooth(left: Sequence[int], right: Sequence[int], n: int, letters: int) -> list[int]:
    """The tensor, cell by cell: parent j from left i and the letter k."""
    found = [0] * (n + letters)
    for i, j, k in product(range(n), range(n), range(letters)):
        found[j] += (2 + k + i + 3 * j) * left[i] * right[n + k]
    return found


def inside(body: Body) -> str:
    """The inside weight by splits against the sum over shapes, at integers."""
    only(body, {"kind", "sizes"})
    agree("sizes", sequence(body, "sizes"), [[2, 2, 3], [1, 1, 5]])
    for size, letters, longest in body["sizes"]:
        for length in range(1, longest + 1):
            for word in product(range(letters), repeat=length):
                shapes = [_values(shape, iter(word), size) for shape in _shapes(length)]
                total = [sum(column) for column in zip(*shapes, strict=True)]
                agree(f"word {word}", _span(word, size), total)
    return "inside weights are sums over trees for both sizes"


def _rule(a: int, b: int, c: int) -> int:
    return 1 + a + 2 * b + 4 * c


def _span(word: Sequence[int], size: int) -> list[int]:
    if len(word) == 1:
        return [3 + 2 * a + 5 * word[0] for a in range(size)]
    found = [0] * size
    for k in range(1, len(word)):
        _join(found, _span(word[:k], size), _span(word[k:], size))
    return found


def _join(found: list[int], left: Sequence[int], right: Sequence[int]) -> None:
    for a, b, c in product(range(len(found)), repeat=3):
        found[a] += _rule(a, b, c) * left[b] * right[c]


def _shapes(count: int) -> list[Any]:
    if count == 1:
        return [None]
    return [(one, two) for k in range(1, count) for one in _shapes(k) for two in _shapes(count - k)]


def _values(shape: Any, letters: Any, size: int) -> list[int]:
    if shape is None:
        letter = next(letters)
        return [3 + 2 * a + 5 * letter for a in range(size)]
    found = [0] * size
    left = _values(shape[0], letters, size)
    _join(found, left, _values(shape[1], letters, size))
    return found


def empty_yield(body: Body) -> str:
    """Every tree has a leaf, so none has an empty yield."""
    only(body, {"kind", "grammar", "trees"})
    agree("weight of the empty word", integer(body, "grammar"), 1)
    agree("trees without leaves", integer(body, "trees"), 0)
    return "S → ε gives the empty word weight 1; no tree does"


def derivations(body: Body) -> str:
    """Derivation trees of all small grammars, counted by recursion on the number of leaves."""
    only(body, {"kind", "grammars", "leaves", "trees"})
    agree("leaves", integer(body, "leaves"), 3)
    grammars = total = 0
    for rules in range(1 << 8):
        for lexical in range(1 << 2):
            grammars += 1
            one = [lexical >> a & 1 for a in range(2)]
            two = _derived(rules, one, one)
            three = [
                p + q
                for p, q in zip(_derived(rules, one, two), _derived(rules, two, one), strict=True)
            ]
            total += sum(one) + sum(two) + sum(three)
    agree("grammars", integer(body, "grammars"), grammars)
    agree("derivation trees", integer(body, "trees"), total)
    return f"{total} derivation trees of {grammars} grammars"


def _derived(rules: int, left: Sequence[int], right: Sequence[int]) -> list[int]:
    return [
        sum(
            left[b] * right[c]
            for b, c in product(range(2), repeat=2)
            if rules >> (4 * a + 2 * b + c) & 1
        )
        for a in range(2)
    ]


def trees(body: Body) -> str:
    """Sums of leaves, pair by pair from the inside; as many rounds as the tree is high."""
    only(body, {"kind", "trees", "roots", "layers"})
    strings = sequence(body, "trees")
    roots = sequence(body, "roots", len(strings))
    if not strings or len(set(strings)) != len(strings):
        raise Refused("no tree, or one twice")
    heights = []
    for string, root in zip(strings, roots, strict=True):
        value, height = _read(string.split(" "))
        agree(f"root of {string}", fraction(root), value)
        heights.append(height)
    agree("layers", integer(body, "layers"), max(heights))
    return f"{len(strings)} trees, heights up to {max(heights)}: sums of leaves"


def _read(symbols: list[str]) -> tuple[int, int]:
    """Replace innermost pairs until one value is left; rounds count the height."""
    items: list[Any] = [LEAVES.get(symbol, symbol) for symbol in symbols]
    rounds = 0
    while len(items) > 1:
        found: list[Any] = []
        i = 0
        while i < len(items):
            pair = items[i : i + 4]
            if len(pair) == 4 and pair[0] == "[" and pair[3] == "]" and _numbers(pair[1:3]):
                found.append(pair[1] + pair[2])
                i += 4
            else:
                found.append(items[i])
                i += 1
        if found == items:
            raise Refused(f"{' '.join(symbols)}: no tree")
        items, rounds = found, rounds + 1
    return int(items[0]), rounds


def _numbers(pair: Sequence[Any]) -> bool:
    return all(isinstance(item, int) for item in pair)


def comb(body: Body) -> str:
    """A comb by affine maps: a node with one known child maps the other; maps are composed."""
    only(body, {"kind", "leaves", "height", "preparation", "steps", "root", "nodes"})
    leaves = integer(body, "leaves", 3)
    if leaves > 256:
        raise Refused(f"{leaves} leaves: expected at most 256")
    agree("height", integer(body, "height"), leaves - 1)
    agree("nodes", integer(body, "nodes"), 2 * leaves - 1)
    agree("layers of preparation", integer(body, "preparation"), 2)
    steps, root = _doubled(leaves)
    agree("steps", integer(body, "steps"), steps)
    agree("root", fraction(body["root"]), root)
    if 2 + steps >= leaves - 1:
        raise Refused("the layers are no fewer than the height")
    return f"a comb with {leaves} leaves: {2 + steps} layers for height {leaves - 1}"


def _doubled(leaves: int) -> tuple[int, int]:
    """Spine nodes 1 … N-1, N the last leaf: node i is what lies under p_i, plus s_i; p_i doubles."""
    known = {leaves: 5, leaves - 1: 1 + 5}
    below = {i: (i + 1, 1) for i in range(1, leaves - 1)}
    steps = 1
    while len(known) < leaves:
        steps += 1
        before, done = dict(below), dict(known)
        for i, (target, gain) in before.items():
            if i in done:
                continue
            if target in done:
                known[i] = gain + done[target]
            else:
                further, more = before[target]
                below[i] = (further, gain + more)
    return steps, known[1]


def comb_layers(body: Body) -> str:
    """Combs: T = 3N - 2 symbols, N + 1 layers."""
    only(body, {"kind", "rows"})
    table = sequence(body, "rows", 31)
    for n, row in enumerate(table, 2):
        agree(f"{n} leaves", row, [n, n + 2 * (n - 1), 2 + (n - 1)])
    return "N + 1 layers for T = 3N - 2 symbols, N = 2 … 32"


def boolean_trees(body: Body) -> str:
    """Counting runs against reaching states, on trees with up to three leaves."""
    only(body, {"kind", "automata", "leaves"})
    agree("leaves", integer(body, "leaves"), 3)
    automata = 0
    for rules in range(1 << 8):
        for leaf in range(1 << 2):
            automata += 1
            counts = [leaf >> i & 1 for i in range(2)]
            two = _derived(rules, counts, counts)
            for left, right in ((counts, counts), (counts, two), (two, counts)):
                marked = [[int(bool(x)) for x in side] for side in (left, right)]
                numbers, marks = _derived(rules, left, right), _derived(rules, *marked)
                agree("supports", [bool(x) for x in numbers], [bool(x) for x in marks])
    agree("automata", integer(body, "automata"), automata)
    return f"{automata} tree automata: counts are non-zero where a run exists"


def steps(body: Body) -> str:
    """Most steps by Padovan's recurrence, steps of combs by halving."""
    only(body, {"kind", "rows"})
    table = sequence(body, "rows", 5)
    for row, leaves in zip(table, (4, 16, 64, 256, 1024), strict=True):
        agree(f"{leaves} leaves", row, [leaves, _most(leaves), _doubled(leaves)[0]])
    return f"most steps for 4 to 1024 leaves: {', '.join(str(row[1]) for row in table)}"


def _most(leaves: int) -> int:
    """The largest k with P_k - 1 ≤ N, where P_k = P_{k-2} + P_{k-3} from 1, 1, 2 at -3, -2, -1."""
    window, k = [1, 1, 2], -1
    while True:
        window = [window[1], window[2], window[0] + window[1]]
        if window[2] - 1 > leaves:
            return k
        k += 1


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "definitions.catalan": catalan,
    "definitions.two-meanings": two_meanings,
    "definitions.multilinear": multilinear,
    "definitions.subtrees": subtrees,
    "definitions.comb-of-word": comb_of_word,
    "definitions.inside": inside,
    "definitions.empty-yield": empty_yield,
    "definitions.derivations": derivations,
    "definitions.trees": trees,
    "definitions.comb": comb,
    "definitions.comb-layers": comb_layers,
    "definitions.boolean-trees": boolean_trees,
    "definitions.steps": steps,
}
