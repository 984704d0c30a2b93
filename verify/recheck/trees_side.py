"""Certificates on strings, combs, grammars, tree automata, layers and errors of trees.

Kinds         trees.strings, trees.word, trees.collision, trees.repeated, trees.lengths, trees.text
              trees.comb, trees.extend, trees.grammar, trees.loop: words and grammars
              trees.heights, trees.convention, trees.leak, trees.bound, trees.bilinear, trees.growth
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from verify.recheck import bounds
from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text
from verify.recheck.treework import (
    Automaton,
    Tree,
    automaton,
    few,
    leafy,
    nodes,
    read,
    shapes_within,
    size,
    written,
)

Body = Mapping[str, Any]
PAPER = "f4c4ba0a91ffd817f0bf49d3fdfac62ed34e8a6d00420ebf296bae88e325f889"
LAST_LINE = 1039
LONGEST = 6


def strings(body: Body) -> str:
    """Different trees, different strings; one end for each beginning; 3·leaves - 2 symbols."""
    only(body, {"kind", "letters", "leaves", "trees"})
    letters = "abcdef"[: integer(body, "letters", 1)]
    leaves = few(body, 5)
    trees = [tree for shape in shapes_within(leaves) for tree in leafy(shape, letters)]
    known = {"".join(written(tree)) for tree in trees}
    agree("trees", integer(body, "trees"), len(trees))
    agree("strings", len(known), len(trees))
    for tree in trees:
        whole = "".join(written(tree))
        count = len([x for x in whole if x not in "[]"])
        agree(f"length of {whole}", len(whole), 3 * count - 2)
        for node in nodes(tree):
            rest = whole[node.start - 1 :]
            ends = [j for j in range(1, len(rest) + 1) if rest[:j] in known]
            agree(f"ends in {whole} from {node.start}", ends, [size(node.tree)])
    return f"{len(trees)} trees: strings differ, ends are unique, lengths are 3·leaves - 2"


def word(body: Body) -> str:
    """A tree's string is no word over the letters and no single bracket."""
    only(body, {"kind", "tokens", "alphabet"})
    tokens = written(read(sequence(body, "tokens")))
    if all(token in sequence(body, "alphabet") for token in tokens) or len(tokens) == 1:
        raise Refused("the string lies in the printed set")
    return f"{''.join(tokens)} is in neither part of the printed set"


def _nested(value: Any) -> Tree:
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or len(value) != 2:
        raise Refused("a tree is a letter or a list of two trees")
    return _nested(value[0]), _nested(value[1])


def collision(body: Body) -> str:
    """Two different trees have the same string."""
    only(body, {"kind", "one", "other"})
    one, other = _nested(body["one"]), _nested(body["other"])
    if one == other:
        raise Refused("the two trees are the same")
    agree("strings", written(one), written(other))
    return f"two trees are written {''.join(written(one))}"


def repeated(body: Body) -> str:
    """A tree has fewer different subtrees than positions."""
    only(body, {"kind", "tokens", "subtrees", "positions"})
    whole = nodes(read(sequence(body, "tokens")))
    agree("subtrees", integer(body, "subtrees"), len({node.tree for node in whole}))
    agree("positions", integer(body, "positions"), len(whole))
    if body["subtrees"] >= body["positions"]:
        raise Refused("the counts do not differ")
    return f"{body['subtrees']} different subtrees, {body['positions']} positions"


def lengths(body: Body) -> str:
    """A tree's string is shorter than the stated length."""
    only(body, {"kind", "length", "tokens"})
    found = size(read(sequence(body, "tokens")))
    if found >= integer(body, "length", 1):
        raise Refused("the string is not shorter")
    return f"|str(t)| = {found} < {body['length']}"


def seal(body: Body) -> None:
    """The hash over all other fields."""
    facts = {key: value for key, value in body.items() if key != "seal"}
    written = json.dumps(facts, sort_keys=True, ensure_ascii=False)
    agree("seal", text(body, "seal"), hashlib.sha256(written.encode()).hexdigest())
    agree("sha256 of the paper", text(body, "sha256"), PAPER)


def paper() -> list[str] | None:
    """The lines of the source that ASSAY_PAPER names, if it does; any other source is refused."""
    if not (name := os.environ.get("ASSAY_PAPER")):
        return None
    content = Path(name).read_bytes()
    agree("sha256 of the source", hashlib.sha256(content).hexdigest(), PAPER)
    return content.decode("utf-8").split("\n")


def source(body: Body) -> str:
    """Words that occur, or do not, in a passage; searched again where the source is at hand."""
    only(body, {"kind", "sha256", "needles", "lines", "found", "expected", "seal"})
    seal(body)
    first, last = sequence(body, "lines", 2)
    found, needles = sequence(body, "found"), sequence(body, "needles")
    if not 1 <= first <= last <= LAST_LINE or any(not 1 <= i <= LAST_LINE for i in found):
        raise Refused("line numbers outside of the paper")
    if not needles or found != sorted(set(found)):
        raise Refused("no words were searched, or lines are out of order")
    inside = [i for i in found if first <= i <= last]
    agree("lines in the passage", len(inside), integer(body, "expected", 0))
    if lines := paper():
        hits = [i for i, line in enumerate(lines, 1) if any(n in line.lower() for n in needles)]
        agree("lines in the source", found, hits)
    again = "searched again" if lines else "not searched again without the source"
    return f"{needles} in lines {first}-{last}: {len(inside)} times; {again}"


def restated(body: Body) -> str:
    """Two passages have the same digest; derived again where the source is at hand."""
    only(body, {"kind", "sha256", "lines", "digests", "seal"})
    seal(body)
    first, second = sequence(body, "lines", 2)
    one, other = sequence(body, "digests", 2)
    agree("digests", one, other)
    if not 1 <= first < second <= LAST_LINE or len(one) != 64:
        raise Refused("expected two lines and two SHA-256 sums")
    if lines := paper():
        for number in (first, second):
            plain = " ".join(_unfooted(lines[number - 1]).split())
            agree(f"line {number}", one, hashlib.sha256(plain.encode()).hexdigest())
    again = "derived again" if lines else "not derived again without the source"
    return f"lines {first} and {second} say the same; {again}"


def _unfooted(line: str) -> str:
    """A line without its footnotes, braces counted from the command on."""
    while (start := line.find("\\footnote{")) >= 0:
        depth, end = 0, start + len("\\footnote")
        while end < len(line):
            depth += {"{": 1, "}": -1}.get(line[end], 0)
            end += 1
            if depth == 0:
                break
        line = line[:start] + line[end:]
    return line


def pair_letter(body: Body) -> str:
    """One letter is a pair of letters, so that a tree is both leaf and node."""
    only(body, {"kind", "letters"})
    letters = [_nested(x) for x in sequence(body, "letters")]
    if not any(isinstance(x, tuple) and x[0] in letters and x[1] in letters for x in letters):
        raise Refused("no letter is a pair of letters")
    return "a letter that is a pair of letters"


def _words(letters: Sequence[str], longest: int) -> Iterator[tuple[str, ...]]:
    for length in range(1, longest + 1):
        yield from product(sorted(letters), repeat=length)


def _short(body: Body) -> int:
    longest = integer(body, "longest", 1)
    if longest > LONGEST:
        raise Refused(f"words of length {longest}: this program goes to {LONGEST}")
    return longest


def _weight(wfa: Mapping[str, Any], letters: Sequence[str]) -> Fraction:
    """The sum over all paths of a WFA."""
    alpha, beta = ([fraction(x) for x in wfa[key]] for key in ("alpha", "beta"))
    table = {
        s: [[fraction(x) for x in row] for row in rows] for s, rows in wfa["transitions"].items()
    }
    total = Fraction(0)
    for path in product(range(len(alpha)), repeat=len(letters) + 1):
        steps = zip(letters, path, path[1:], strict=False)
        total += alpha[path[0]] * beta[path[-1]] * prod(table[s][i][j] for s, i, j in steps)
    return total


def _comb(letters: Sequence[str]) -> Tree:
    return letters[0] if len(letters) == 1 else (letters[0], _comb(letters[1:]))


def as_word(body: Body) -> str:
    """A WFA with n + 1 states gives Σ μ (α = all ones) on all combs."""
    only(body, {"kind", "automaton", "longest", "wfa"})
    wta = automaton(body["automaton"])
    agree("states", len(body["wfa"]["alpha"]), wta.n + 1)
    for letters in _words(tuple(wta.leaves), _short(body)):
        agree("".join(letters), _weight(body["wfa"], letters), sum(wta.state(_comb(letters))))
    return f"a WFA with {wta.n + 1} states on all combs up to {body['longest']} leaves"


def extend(body: Body) -> str:
    """αᵀ A^{x_1} … is the state of (((#, x_1), x_2), …): by paths and by rows of vectors."""
    only(body, {"kind", "wfa", "longest"})
    wfa = body["wfa"]
    table = {
        s: [[fraction(x) for x in row] for row in rows] for s, rows in wfa["transitions"].items()
    }
    for letters in _words(tuple(table), _short(body)):
        state = [fraction(x) for x in wfa["alpha"]]
        for s in letters:
            n = range(len(state))
            state = [sum((state[i] * table[s][i][j] for i in n), Fraction(0)) for j in n]
        total = sum((x * fraction(y) for x, y in zip(state, wfa["beta"], strict=True)), Fraction(0))
        agree("".join(letters), total, _weight(wfa, letters))
    return f"words up to length {body['longest']} as combs"


def _spelled(letters: Sequence[str]) -> Iterator[Tree]:
    if len(letters) == 1:
        yield letters[0]
    for k in range(1, len(letters)):
        for one in _spelled(letters[:k]):
            for other in _spelled(letters[k:]):
                yield one, other


def grammar(body: Body) -> str:
    """S → S S and S → letter: every tree that spells a word has the same weight."""
    only(body, {"kind", "branch", "rules", "longest"})
    branch = fraction(body["branch"])
    rules = {s: fraction(x) for s, x in body["rules"].items()}
    wta = Automaton((((branch,),),), {s: (x,) for s, x in rules.items()})
    for letters in _words(tuple(rules), _short(body)):
        trees = list(_spelled(letters))
        total = sum((wta.state(tree)[0] for tree in trees), Fraction(0))
        each = branch ** (len(letters) - 1) * prod(rules[s] for s in letters)
        agree("".join(letters), total, len(trees) * each)
    return f"a grammar with one variable, words up to length {body['longest']}"


def loop(body: Body) -> str:
    """Each turn of S → S adds the same weight: the partial sums grow without end."""
    only(body, {"kind", "loop", "leaf", "sums"})
    turn, leaf, total = fraction(body["loop"]), fraction(body["leaf"]), Fraction(0)
    for k, stated in enumerate(sequence(body, "sums")):
        total += turn**k * leaf
        agree(f"partial sum {k}", fraction(stated), total)
    if turn < 1 or leaf <= 0:
        raise Refused("the sum converges")
    return "the sum over all derivations of a diverges"


def heights(body: Body) -> str:
    """The height is at most (|str(t)| - 1)/3, and combs reach it."""
    only(body, {"kind", "leaves", "shapes"})
    leaves = few(body)
    agree("shapes", integer(body, "shapes"), len(list(shapes_within(leaves))))
    for tree in shapes_within(leaves):
        if 3 * nodes(tree)[0].height > size(tree) - 1:
            raise Refused(f"{''.join(written(tree))} is higher than a third of its string")
    return f"heights of all shapes up to {leaves} leaves"


def convention(body: Body) -> str:
    """Two layers for the depths, one for each height: more than the depth in either convention."""
    only(body, {"kind", "tokens", "height", "layers"})
    height = nodes(read(sequence(body, "tokens")))[0].height
    agree("height", integer(body, "height"), height)
    agree("layers", integer(body, "layers"), 2 + height)
    edges, vertices = height, height + 1
    if edges == vertices or not body["layers"] > vertices:
        raise Refused("the layers are no more than the depth")
    return f"depth {edges} or {vertices}, {body['layers']} layers"


def _leak(saturation: int, tokens: int, places: str, bits: int) -> Fraction:
    """An upper bound on the leak of left and right heads."""
    if places == "line":
        gap, beta = Fraction(1), tokens + 1
    elif places == "circle":
        gap, beta = 1 - bounds.cos_pi(Fraction(1, tokens), bits)[1], 3
    else:
        raise Refused(f"places {places!r} are not known")
    flags = (tokens - 1) * bounds.exp(-bounds.down(saturation * gap, bits), bits)[1]
    rest = gap - 4 * beta * flags
    return (tokens - 1) * bounds.exp(-bounds.down(saturation * rest, bits), bits)[1]


def leak(body: Body) -> str:
    """The stated C brings the leak below 2^-bits."""
    only(body, {"kind", "bits", "circle"})
    wanted = Fraction(1, 2 ** integer(body, "bits", 1))
    for tokens, saturation in sequence(body, "circle"):
        if not _leak(saturation, tokens, "circle", 96) < wanted:
            raise Refused(f"{tokens} tokens: C = {saturation} is too small")
    return f"leaks below 2^-{body['bits']} for {body['circle']}"


def bound(body: Body) -> str:
    """The recursion in upper rational bounds; the error seen is below it."""
    only(body, {"kind", "automaton", "tokens", "saturation", "places", "seen", "bound"})
    wta, tree = automaton(body["automaton"]), read(sequence(body, "tokens"))
    bits = 2000
    tau = _norm([x for rows in wta.tensor for row in rows for x in row], bits)
    state = max(_norm(wta.state(node.tree), bits) for node in nodes(tree))
    lost = _leak(integer(body, "saturation", 1), size(tree) + 1, text(body, "places"), bits)
    error = Fraction(0)
    for _ in range(nodes(tree)[0].height):
        delta = error + 2 * state * lost
        error = tau * (state * delta + delta**2) + max(tau * state * delta, 2 * error)
        error = bounds.up(error, bits)
    if not fraction(body["seen"]) <= error <= fraction(body["bound"]):
        raise Refused("the error seen, the recursion and the stated bound are not in order")
    return f"{''.join(written(tree))}, C = {body['saturation']}: error seen below the recursion"


def _norm(values: Sequence[Any], bits: int) -> Fraction:
    return bounds.sqrt(Fraction(sum(Fraction(x) ** 2 for x in values)), bits)[1]


def bilinear(body: Body) -> str:
    """(l + a)(r + b) - l r = a r + l b + a b for every pair of coordinates; sums keep it."""
    only(body, {"kind", "n"})
    integer(body, "n", 1)
    for left, right, a, b in product(range(-2, 3), repeat=4):
        agree("identity", (left + a) * (right + b) - left * right, a * right + left * b + a * b)
    return "the identity at 625 points, more than its degree (1 in each of four) needs"


def growth(body: Body) -> str:
    """x ← x² exactly, and with an error η in each layer."""
    only(body, {"kind", "leaf", "eta", "layers", "error"})
    exact = near = fraction(body["leaf"])
    eta = fraction(body["eta"])
    for _ in range(integer(body, "layers", 1)):
        exact, near = exact**2, near**2 + eta
    agree("error", fraction(body["error"]), near - exact)
    if near - exact <= body["layers"] * eta:
        raise Refused("the error does not outgrow the sum over the layers")
    return f"error after {body['layers']} layers exceeds {body['layers']} times that of one"


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "trees.strings": strings,
    "trees.word": word,
    "trees.collision": collision,
    "trees.repeated": repeated,
    "trees.lengths": lengths,
    "trees.text": source,
    "trees.restated": restated,
    "trees.pair-letter": pair_letter,
    "trees.comb": as_word,
    "trees.extend": extend,
    "trees.grammar": grammar,
    "trees.loop": loop,
    "trees.heights": heights,
    "trees.convention": convention,
    "trees.leak": leak,
    "trees.bound": bound,
    "trees.bilinear": bilinear,
    "trees.growth": growth,
}
