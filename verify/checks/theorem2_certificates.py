"""What the re-checker is given of each step of Theorem 2: one certificate for each step.

A step that holds for all n, T and words is certified by its expansion in the free algebra and by an
instance with one state, whose numbers the re-checker finds again by its own pass. The numbers are
short rationals at the ends of balls.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import flint

from constructions import theorem1, theorem2
from constructions.arithmetic import Rational
from constructions.exact import Exact
from constructions.families import counting, scalar
from constructions.transformer import Head
from constructions.wfa import WFA
from verify.bounds import certificates, recursion
from verify.bounds.certificates import above, below
from verify.bounds.sweep import Row, row
from verify.engines.circulant import Sweep, state_error
from verify.evidence import Plain

Body = dict[str, Plain]
Instance = tuple[Fraction, int, Fraction]
EXPANDING: Instance = (Fraction(2), 4, Fraction(16))
DEEP: Instance = (Fraction(3, 2), 8, Fraction(64))
CONTRACTING: Instance = (Fraction(1, 2), 8, Fraction(64))
PADDED: Instance = (Fraction(1, 2), 2, Fraction(2))


def expansion(step: Body) -> Body:
    """A derivation without its kind, as a part of another certificate."""
    return {field: value for field, value in step.items() if field != "kind"}


def four_terms(norm: str, error: str) -> Body:
    """(X + D)(Y + F) + G - X Y with names for the bounds on its letters."""
    return expansion(
        certificates.derivation(
            [("X",), ("D",)],
            [("Y",), ("F",)],
            {"X": norm, "Y": norm, "D": error, "F": error, "G": "eps_mlp"},
            plus=[("G",)],
            minus=[("X", "Y")],
        )
    )


def seen(instance: Instance) -> Row:
    """The run of a one-state automaton on the word of equal letters."""
    weight, length, saturation = instance
    return row(scalar(weight), [("a",) * length], length, saturation)


def _head(kind: str, instance: Instance) -> Body:
    weight, length, saturation = instance
    return {"kind": f"theorem2.{kind}", "weight": str(weight), "length": length,
            "saturation": str(saturation)}  # fmt: skip


def _short(values: Sequence[flint.arb]) -> list[Plain]:
    return [str(above(value)) for value in values]


def norm() -> Body:
    """Four error terms with whole entries, and ‖S‖² by trace and determinant of SᵀS."""
    zero, one = (flint.fmpz_mat([[int(x) for x in r] for r in counting().matrix(a)]) for a in "01")
    left, right = flint.fmpz_mat([[1, 0], [0, -1]]), flint.fmpz_mat([[0, 2], [1, 0]])
    vector = [1, 0, 2, -1]
    last = flint.fmpz_mat(2, 2, vector)
    terms = [zero * right, left * one, left * right, last]
    total = terms[0] + terms[1] + terms[2] + terms[3]
    gram = total.transpose() * total
    return {
        "kind": "theorem2.norm", "expansion": four_terms("mu", "delta"), "n": 2,
        "maps": [_table(zero), _table(one)], "errors": [_table(left), _table(right)],
        "vector": vector, "terms": [_table(term) for term in terms],
        "trace": int(gram[0, 0] + gram[1, 1]), "determinant": int(gram.det()),
    }  # fmt: skip


def _table(matrix: flint.fmpz_mat) -> list[list[int]]:
    return [[int(x) for x in line] for line in matrix.tolist()]


def lagrange(states: Sequence[int]) -> Body:
    """How many squares Lagrange's identity has for each n."""
    squares = [n * n * len(list(combinations(range(n), 2))) for n in states]
    return {"kind": "theorem2.lagrange", "states": list(states), "squares": squares}


def inequalities() -> Body:
    """The four terms and how often each inequality is used."""
    step = four_terms("mu", "delta")
    return {"kind": "theorem2.inequalities", "expansion": step, "triangle": len(step["terms"]) - 1,
            "submultiplicative": sum(len(word) - 1 for word in step["terms"])}  # fmt: skip


def attended(head: Head, length: int) -> list[int]:  # type: ignore[type-arg]
    """For each position of the built model the one that a head prefers, decided exactly."""
    model = theorem1.build(scalar(1), length)
    arithmetic = Rational()
    scores = head.scores(arithmetic, arithmetic.array(model.encode("")))
    places = list(model.positions)
    return [places[_largest(list(line))] for line in scores]


def _largest(line: list[Exact]) -> int:
    (best,) = Rational().maximisers(line)
    return int(best)


def sources(length: int = 8, layer: int = 1) -> Body:
    """Where the heads of one built layer look."""
    built = theorem2.layers(1, length, Fraction(1))[layer - 1]
    found = {head.name: attended(head, length) for head in built.heads}
    return {"kind": "theorem2.sources", "length": length, "layer": layer, **found}


def halves(instance: Instance = (Fraction(2), 4, Fraction(4))) -> Body:
    """The errors of all positions after the first layer, and how often a row holds each."""
    weight, length, saturation = instance
    run = seen(instance)
    with flint.ctx.workprec(run.run.bits):
        stages = list(Sweep(scalar(weight), length, saturation).stages("a" * length))
        errors = [abs(token[0, 0]) for token in stages[1].errors]
    copies = len(theorem1.output(1).entries)
    return {**_head("halves", instance), "halves": _short(errors), "copies": copies,
            "bound": str(above(run.corrected[0]))}  # fmt: skip


def first_bound(instance: Instance = PADDED) -> Body:
    """A contracting weight: the printed M is too small, the mended one is not."""
    run, weight = seen(instance), instance[0]
    share = run.run.layers[0].attention
    factors = 2 * abs(weight), 2 * max(abs(weight), Fraction(1))
    with flint.ctx.workprec(run.run.bits):
        printed, mended = (
            recursion.step(flint.arb(flint.fmpq(f.numerator, f.denominator)), share)
            for f in factors
        )
    return {**_head("first-bound", instance), "expansion": four_terms("M/2", "eps_attn"),
            "factor": str(factors[1]), "error": str(below(run.errors[0])),
            "printed": str(below(printed)), "bound": str(above(mended))}  # fmt: skip


def filters(n: int = 2, length: int = 8) -> Body:
    """The coordinates that W_Q and W_K of the built heads read."""
    heads: list[Plain] = [
        [layer, head.name, *(sorted({at[0] for at in w.entries}) for w in (head.query, head.key))]
        for layer, built in enumerate(theorem2.layers(n, length, Fraction(3)), start=1)
        for head in built.heads
    ]
    return {"kind": "theorem2.filter", "n": n, "length": length, "heads": heads}


def attention_layers(instance: Instance = EXPANDING) -> Body:
    """a_l, ε^(l) and the error after attention, by layer."""
    layers = seen(instance).run.layers
    return {**_head("attention-layers", instance),
            "attention": _short([x.attention for x in layers]),
            "errors": _short([x.error for x in layers]),
            "incoming": _short([x.incoming for x in layers])}  # fmt: skip


def redefined() -> Body:
    """The printed redefinition: E + A E V + G X V + G E V, G the error of the filter."""
    return certificates.derivation(
        [("A",), ("G",)],
        [("X", "V"), ("E", "V")],
        {"A": "A", "G": "g", "X": "X", "E": "eps_1", "V": "V"},
        plus=[("E",)],
        minus=[("A", "X", "V")],
    )


def incoming(instance: Instance = EXPANDING) -> Body:
    """G + P E with G = (P - I) X: what enters the second product."""
    step = certificates.derivation(
        [("P",)], [("E",)], {"P": "one", "E": "eps_1", "G": "a_2"}, plus=[("G",)]
    )
    one, two = seen(instance).run.layers[:2]
    return {**_head("incoming", instance), "expansion": expansion(step),
            "error": str(above(one.error)), "attention": str(above(two.attention)),
            "incoming": str(below(two.incoming))}  # fmt: skip


def second(instance: Instance = EXPANDING) -> Body:
    """The second layer: ε^(1), a_2, μ_2, ε^(2) and the bound."""
    one, two = seen(instance).run.layers[:2]
    before, share, size = (above(x) for x in (one.error, two.attention, two.norm))
    bound = recursion.step(2 * size, before + share)
    return {**_head("second", instance), "expansion": four_terms("mu_2", "delta_2"),
            "before": str(before), "attention": str(share), "norm": str(size),
            "error": str(below(two.error)), "bound": str(bound)}  # fmt: skip


def layers(kind: str, norm_name: str, instance: Instance) -> Body:
    """The corrected recursion, layer by layer."""
    run = seen(instance)
    found = run.run.layers
    return {**_head(kind, instance), "expansion": four_terms(norm_name, "delta"),
            "norms": [str(below(x.norm)) for x in found],
            "attention": _short([x.attention for x in found]),
            "errors": [str(below(x.error)) for x in found],
            "bounds": _short(run.corrected)}  # fmt: skip


def start(factor: Fraction = Fraction(4), root: Fraction = Fraction(3)) -> Body:
    """M√b + b against b."""
    return {"kind": "theorem2.start", "right": {"M*s": 1, "s*s": 1}, "bound": {"s*s": 1},
            "rest": {"M*s": 1}, "factor": str(factor), "root": str(root),
            "value": str(recursion.step(factor, root))}  # fmt: skip


def base() -> Body:
    """Equation (1) at l = 1 beside the first layer's majorant."""
    return {"kind": "theorem2.base", "expansion": four_terms("M/2", "eps_attn"),
            "recursion": {"M*eps_0": 1, "eps_0*eps_0": 1, "eps_mlp": 1},
            "start": "eps_attn"}  # fmt: skip


def finite(weight: Fraction = Fraction(2), saturation: Fraction = Fraction(1)) -> Body:
    """The corrected bound at a fixed C for three lengths."""
    bounds = [seen((weight, length, saturation)).corrected[-1] for length in (2, 4, 8)]
    return {"kind": "theorem2.finite", "weight": str(weight), "saturation": str(saturation),
            "lengths": [2, 4, 8], "bounds": _short(bounds)}  # fmt: skip


def states(instance: Instance = EXPANDING, alpha: Fraction = Fraction(3)) -> Body:
    """The error of the products and that of the states together."""
    weight, length, saturation = instance
    automaton = WFA.of([alpha], {"a": [[weight]]}, [1])
    word = ("a",) * length
    error = above(row(automaton, [word], length, saturation).errors[-1])
    found = state_error(automaton, [word], length, saturation)
    step = certificates.derivation([("v",)], [("E",)], {"v": "alpha", "E": "eps_tot"})
    return {**_head("states", instance), "expansion": expansion(step), "alpha": str(alpha),
            "product": str(error), "states": str(below(found)),
            "square": str(alpha**2 * (length + 1) * error**2)}  # fmt: skip
