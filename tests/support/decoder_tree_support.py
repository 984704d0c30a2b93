"""The tokens of the tree decoder after each layer, compared with the exact ones by the class of a node."""

import flint

from constructions.automata.random_trees import labelled_shape
from constructions.automata.trees import ends, leaves, parse, shapes, tokens
from constructions.core.exact import ball
from constructions.core.transformer import realise
from constructions.decoder_tree import build
from verify.bounds.decoder_tree_classes import BRACKET
from verify.bounds.norms import spectral_norm

BITS = 640  # so that what is far below rounding is compared too


def streams(automaton, string, arithmetic, saturation, length, activation="relu"):
    """The tokens after layers 3, 4, …"""
    model = build(automaton, length, activation, saturation)
    x = arithmetic.array(model.encode(string))
    for number, layer in enumerate(realise(model.transformer, arithmetic).layers, 1):
        x = layer(arithmetic, x)
        if number >= 3:
            rows = x.tolist() if hasattr(x, "tolist") else x
            yield [dict(zip(model.layout, _blocks(model.layout, row), strict=True)) for row in rows]


def _blocks(layout, row):
    return [[row[k] for k in layout[name]] for name in layout]


def sizes_of_subtrees(string):
    """How many leaves the subtree has that ends at a position; BOS is position 0."""
    return {end: sum(1 for _ in leaves(parse(string[begin - 1 : end])))
            for begin, end in ends(string).items()}  # fmt: skip


def norm(values):
    return sum((x * x for x in values), flint.arb(0)).nonnegative_part().sqrt()


def pairs(exact, soft, sizes, place, errors):
    """(what, its error, its bound) for one token, by the class that it has in the exact pass."""
    with flint.ctx.workprec(BITS):
        apart = {name: [flint.arb(b) - ball(a) for a, b in zip(exact[name], soft[name], strict=True)]
                 for name in exact}  # fmt: skip
    own = class_of(exact, sizes, place, errors)
    yield "f", abs(apart["known"][0]), own.mark
    yield "g", abs(apart["inactive"][0]), own.activity
    yield "c", abs(apart["pointer"][0]), own.pointer
    if place in sizes and sizes[place] > 1:
        yield "left", abs(apart["left"][0]), errors.left
    yield "b", norm(apart["state"]), own.state
    n = len(exact["state"])
    yield "M", spectral_norm(flint.arb_mat(n, n, apart["matrix"])), own.map


def class_of(exact, sizes, place, errors):
    """The bounds of the class that a token has in the exact pass; a class that cannot arise has none."""
    if place not in sizes:
        return errors.known[BRACKET]
    if exact["known"][0]:
        return errors.known[sizes[place]]
    if exact["inactive"][0]:
        return errors.idle
    return errors.active[sizes[place] - sizes[int(exact["pointer"][0])]]


def all_trees(most):
    for count in range(1, most + 1):
        for number, shape in enumerate(shapes(count)):
            if number % 5 == 0 or count < 5:
                yield tokens(labelled_shape(shape, number + count))
