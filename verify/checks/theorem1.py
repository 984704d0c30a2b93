"""Theorem 1, proved: outputs equal states as polynomials, as words, and modulo random primes.

Claims        thm1.exact and the statements of its proof about routing, pads and prefixes
Roads         SymPy and python-flint polynomials through the real weight matrices; words of a free
              monoid for all n; fresh symbols layer by layer; identity testing; balls for the gap
Scope         each piece of evidence says for which n and T; the machine-checked proof covers all
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import flint
import sympy

from constructions import theorem1
from constructions.arithmetic import Polynomial
from constructions.transformer import realise_layer
from constructions.wfa import WFA
from verify.check import Job, Profile, check
from verify.claims.model import Name
from verify.engines import generic, pads
from verify.evidence import Evidence, Outcome, Strength, settled

HOLDS = Outcome.HOLDS
SYMPY_PAIRS = ((1, 1), (1, 2), (1, 8), (2, 2), (2, 3), (2, 4), (3, 4))
FLINT_PAIRS = (*SYMPY_PAIRS, (2, 8), (3, 8), (4, 8), (2, 16))
FULL_PAIRS = ((12, 4), (3, 5), (2, 13))


def pairs_text(pairs: Sequence[tuple[int, int]]) -> str:
    """(n, T) ∈ {…}, for a scope."""
    return "(n, T) ∈ {" + ", ".join(f"({n}, {t})" for n, t in pairs) + "}"


def every_reading(item: Evidence) -> Iterator[Evidence]:
    """The same evidence for the literal and the repaired reading of Theorem 1."""
    yield item
    yield replace(item, reading=Name.REPAIRED)


def exact(pairs: Sequence[tuple[int, int]], engine: str, problem: object | None) -> Evidence:
    """Evidence for thm1.exact from identities for the given sizes."""
    return settled(
        problem,
        Evidence(
            "thm1.exact",
            HOLDS,
            Strength.SYMBOLIC,
            f"every WFA and every word, for {pairs_text(pairs)}",
            "All T + 1 outputs equal the states as polynomials in the entries of α and of one "
            "matrix of symbols for each position, through the written-out weight matrices.",
            engine=engine,
            certificate={"kind": "theorem1.exact", "pairs": [list(pair) for pair in pairs]},
            limits="Other sizes are covered by words (all n) and by the machine-checked proof.",
        ),
    )


def first_problem(results: Iterator[generic.Mismatch | None]) -> str | None:
    """The first mismatch among some results, as text."""
    return next((found.why for found in results if found is not None), None)


@check("thm1.exact")
def outputs_are_states_in_sympy(job: Job) -> Iterator[Evidence]:
    """Push generic symbols through the weight matrices in SymPy and compare with the states."""
    pairs = (*SYMPY_PAIRS, (2, 8)) if job.full else SYMPY_PAIRS
    problem = first_problem(generic.prove_symbolic(n, t) for n, t in pairs)
    yield from every_reading(exact(pairs, "SymPy, dense exact scores", problem))


@check("thm1.exact")
def outputs_are_states_in_flint(job: Job) -> Iterator[Evidence]:
    """Push generic symbols through the weight matrices as python-flint polynomials."""
    pairs = FLINT_PAIRS + FULL_PAIRS if job.full else FLINT_PAIRS
    problem = first_problem(generic.prove(n, t) for n, t in pairs)
    yield from every_reading(exact(pairs, "python-flint fmpz_mpoly, routed by codes", problem))


@check("thm1.exact", "thm1.recover", "thm1.all-states", "thm1.any-length")
def words_for_all_n(job: Job) -> Iterator[Evidence]:
    """Run words of a free monoid through the same routing: all n at once, given Lemma 1."""
    lengths = [*range(1, 34), 64]
    if job.full:
        lengths = [*range(1, 131), *(2**k for k in range(8, 13))]
    problem = first_problem(generic.prove_words(t) for t in lengths)
    scope = f"all n and every WFA, for T ∈ {{1, …, {lengths[-2] if not job.full else 130}}}"
    scope += " and T = 64" if not job.full else " and T = 2^k ≤ 4096"
    summary = (
        "Position t carries the product of the first t letters, for t = 0 … T; position 0 carries "
        "the empty product, so that the readout gives α there."
    )
    certificate = {"kind": "theorem1.words", "lengths": lengths}
    for claim in ("thm1.exact", "thm1.recover", "thm1.all-states", "thm1.any-length"):
        item = Evidence(
            claim, HOLDS, Strength.EXACT, scope, summary, engine="words", certificate=certificate
        )
        yield settled(problem, item)
        if claim == "thm1.exact":
            yield settled(problem, replace(item, reading=Name.REPAIRED))


@check("thm1.exact", profile=Profile.FULL)
def layer_by_layer_at_scale(job: Job) -> Iterator[Evidence]:
    """For (8, 1024): routing from the real weights, one layer on fresh symbols, then words."""
    n, length = 8, 1024
    steps = (generic.prove_layer(n), generic.prove_routing(length), generic.prove_words(length))
    yield from every_reading(
        exact([(n, length)], "fresh symbols per layer", first_problem(iter(steps)))
    )


@check("thm1.exact")
def identity_testing_at_scale(job: Job) -> Iterator[Evidence]:
    """Compare outputs and states at random points modulo random primes."""
    n, length = (8, 1024) if job.full else (4, 64)
    tested = generic.prove_modular(n, length)
    bound = f"{float(tested.failure):.1e}"
    item = Evidence(
        "thm1.exact",
        HOLDS,
        Strength.SAMPLED,
        f"every WFA and word for (n, T) = ({n}, {length}), up to the failure probability",
        f"Outputs and states agree modulo {len(tested.primes)} primes of 62 bits; a false identity "
        f"passes random draws with probability at most {bound}, below 2^-60.",
        engine="identity testing, python-flint nmod",
        limits="The draws are fixed by a seed, so that the record can be repeated.",
    )
    problem = tested.mismatch.why if tested.mismatch else None
    if problem is None and tested.failure >= Fraction(1, 2**60):
        problem = f"the failure probability {bound} is not below 2^-60"
    yield from every_reading(settled(problem, item))


@check("thm1.argmax", "thm1.saturated")
def one_maximum_in_every_row(job: Job) -> Iterator[Evidence]:
    """Certify by balls that cos(πm/T) < cos(0) for every m ≠ 0 modulo 2T, with gap 1 - cos(π/T)."""
    powers = [2**k for k in range(17 if job.full else 13)]
    problem = next((text for t in powers if (text := gap_problem(t))), None)
    summary = (
        f"Each of the 2T distinct scores cos(πm/T) is decided by balls for T = 1, …, {powers[-1]}: "
        "the maximum 1 is attained once a row, the next score is cos(π/T), and the gap "
        "1 - cos(π/T) is at least 2/T². Query times key is cos(π(t - s - w)/T) by a trigonometric "
        "identity in t, s and w, so this holds for every layer."
    )
    gaps = [str(Fraction(2, t * t)) for t in powers]
    certificate = {"kind": "theorem1.gap", "lengths": powers, "gap": gaps}
    for claim in ("thm1.argmax", "thm1.saturated"):
        yield settled(
            problem or score_identity_problem(),
            Evidence(
                claim,
                HOLDS,
                Strength.ENCLOSURE,
                f"every layer and position, T = 2^k ≤ {powers[-1]}",
                summary,
                engine="python-flint arb",
                certificate=certificate,
            ),
        )


def gap_problem(length: int) -> str | None:
    """Why the scores at T do not have the stated maximum and gap, or None."""
    with flint.ctx.workprec(128):
        scores = [flint.arb.cos_pi_fmpq(flint.fmpq(m, length)) for m in range(2 * length)]
        for m in range(1, 2 * length):
            if not scores[m] < 1:
                return f"T = {length}: cos(π·{m}/{length}) is not certified below 1"
            if m not in (1, 2 * length - 1) and not scores[m] < scores[1]:
                return f"T = {length}: cos(π·{m}/{length}) is not certified below cos(π/{length})"
        if length > 1 and not 1 - scores[1] >= flint.arb(2) / length**2:
            return f"T = {length}: the gap is not certified to be at least 2/T²"
    return None


def score_identity_problem() -> str | None:
    """q_t · k_s = cos(π(t - s - w)/T) for symbols t, s, w and T, from ρ_θ as built."""
    t, s, w, size = sympy.symbols("t s w T", real=True)
    query = sympy.Matrix([[sympy.cos(sympy.pi * t / size), sympy.sin(sympy.pi * t / size)]])
    place = sympy.Matrix([[sympy.cos(sympy.pi * s / size), sympy.sin(sympy.pi * s / size)]])
    theta = -sympy.pi * w / size
    rho = sympy.Matrix(
        [[sympy.cos(theta), sympy.sin(theta)], [-sympy.sin(theta), sympy.cos(theta)]]
    )
    score = (query * (place * rho.T).T)[0, 0]
    difference = score - sympy.cos(sympy.pi * (t - s - w) / size)
    return None if sympy.simplify(sympy.expand_trig(sympy.expand(difference))) == 0 else str(score)


@check("thm1.shift", "thm1.idea.copies", "thm1.qk.select", "thm1.positional", "thm1.theta")
def heads_look_a_power_of_two_back(job: Job) -> Iterator[Evidence]:
    """Read the routing of every head off the real W_Q and W_K, with exact cosines."""
    lengths = [1, 2, 4, 8, 16, 32, 64, 128] + ([256, 512, 1024] if job.full else [])
    problem = first_problem(generic.prove_routing(t) for t in lengths)
    certificate = {"kind": "theorem1.routing", "lengths": lengths}
    summary = (
        "At layer l the left head of position t attends exactly position t - 2^(l-1) modulo 2T, "
        "the right head position t, for all 2T positions; the codes of the positions are all different."
    )
    for claim in (
        "thm1.shift",
        "thm1.idea.copies",
        "thm1.qk.select",
        "thm1.positional",
        "thm1.theta",
    ):
        item = Evidence(
            claim,
            HOLDS,
            Strength.EXACT,
            f"every layer and position, T = 2^k ≤ {lengths[-1]}",
            summary,
            engine="exact cosines",
            certificate=certificate,
        )
        yield settled(problem, item)
        if claim == "thm1.shift":
            yield settled(problem, replace(item, reading=Name.REPAIRED))


@check("thm1.pads", "thm1.pads.needed", "thm1.positional.pads")
def how_many_pads_are_needed(job: Job) -> Iterator[Evidence]:
    """Run words with fewer pads, through the dense scores, and see which outputs stay right."""
    lengths = (2, 4, 8, 16) if job.full else (2, 4, 8)
    right = {t: pads.sufficient(t) for t in lengths}
    rows = [[t, counts] for t, counts in right.items()]
    missing = next((t for t, counts in right.items() if t not in counts), None)
    problem = None if missing is None else f"with T = {missing} pads an output is wrong"
    yield settled(
        problem,
        Evidence(
            "thm1.pads",
            HOLDS,
            Strength.EXACT,
            f"all n, T ∈ {{{', '.join(map(str, lengths))}}}",
            "With T pads every output 0 … T is right, although the left heads of the first pads "
            "wrap around: the windows of positions 0 … T never reach what they contaminate.",
            engine="words, dense exact scores",
            certificate={"kind": "theorem1.pads", "enough": rows},
        ),
    )
    yield from _fewer_pads(right, lengths)
    yield from _without_pads(lengths)


def _fewer_pads(right: dict[int, list[int]], lengths: Sequence[int]) -> Iterator[Evidence]:
    smallest = {t: min(counts) for t, counts in right.items()}
    fewer = next((t for t in lengths if smallest[t] < t), None)
    shown = "; ".join(f"T = {t}: {', '.join(map(str, right[t]))}" for t in lengths)
    yield Evidence(
        "thm1.pads.needed",
        HOLDS if fewer is None else Outcome.FAILS,
        Strength.EXACT,
        f"all n, T ∈ {{{', '.join(map(str, lengths))}}}",
        f"Numbers of pads with a unique maximum in every row and all outputs right: {shown}.",
        engine="words, dense exact scores",
        counterexample="" if fewer is None else f"T = {fewer}: {smallest[fewer]} pads are enough.",
        certificate={"kind": "theorem1.pads", "enough": [[t, right[t]] for t in lengths]},
    )


def _without_pads(lengths: Sequence[int]) -> Iterator[Evidence]:
    broken = [t for t in lengths if pads.works(t, 0)]
    certificate = {"kind": "theorem1.no-pads", "lengths": list(lengths)}
    for reading in (Name.LITERAL, Name.CHARITABLE):
        yield Evidence(
            "thm1.positional.pads",
            Outcome.FAILS if broken else HOLDS,
            Strength.EXACT,
            f"all n, T ∈ {{{', '.join(map(str, lengths))}}}",
            "Without tokens at positions ≤ 0 some output of a position 1 … T is wrong, for every T "
            "tried: the shift reads positions on the pads.",
            reading=reading,
            engine="words, dense exact scores",
            certificate=certificate,
        )


@check("thm1.idea.every-combination")
def which_products_are_obtained(job: Job) -> Iterator[Evidence]:
    """List the products of consecutive letters that the last layer holds, for T = 4."""
    held = {token for token in pads.products(4) if token}
    infixes = {"".join(map(chr, range(a, b))) for a in range(1, 5) for b in range(a + 1, 6)}
    absent = sorted(infixes - held, key=lambda w: (len(w), w))
    certificate = {
        "kind": "theorem1.infixes",
        "length": 4,
        "absent": [list(map(ord, w)) for w in absent],
    }
    names = ", ".join("A" + "".join(str(ord(c)) for c in w) for w in absent)
    yield Evidence(
        "thm1.idea.every-combination",
        Outcome.FAILS if absent else HOLDS,
        Strength.EXACT,
        "T = 4",
        f"After the last layer no position holds {names}: the scan yields prefixes.",
        engine="words",
        counterexample=f"T = 4: the product {names.split(', ', maxsplit=1)[0]} is at no position.",
        certificate=certificate,
    )
    problem = first_problem(generic.prove_words(t) for t in (1, 2, 4, 8, 16))
    item = Evidence(
        "thm1.idea.every-combination",
        HOLDS,
        Strength.EXACT,
        "all n, T ∈ {1, 2, 4, 8, 16}",
        "Every prefix product stands at its position after the last layer.",
        reading=Name.CHARITABLE,
        engine="words",
        certificate={"kind": "theorem1.words", "lengths": [1, 2, 4, 8, 16]},
    )
    yield settled(problem, item)


@check("thm1.no-residual", "thm1.feedforward.same", "thm1.positions.access")
def the_layers_are_alike(job: Job) -> Iterator[Evidence]:
    """Compare the layers of the built model: one feed-forward block, no path past the attention."""
    automaton = WFA((1, 0), {"a": ((1, 0), (0, 1))}, (1, 0))
    layers = theorem1.build(automaton, 16).transformer.layers
    same = all(layer.feedforward == layers[0].feedforward for layer in layers)
    rows = {j for layer in layers for _, j in layer.feedforward.output.entries}
    lost = not rows & set(theorem1.layout(2)["position"])
    certificate = {"kind": "theorem1.layers", "n": 2, "length": 16}
    scope = "n = 2, T = 16; the blocks do not depend on the layer by their definition"
    for claim, fine, summary in (
        ("thm1.feedforward.same", same, "All layers have one and the same feed-forward block."),
        (
            "thm1.no-residual",
            not any(head.mask != "none" for layer in layers for head in layer.heads),
            "The model that is proved exact has no path past the attention block; only the "
            "positional coordinates are written anew.",
        ),
        (
            "thm1.positions.access",
            lost,
            "W_out writes nothing into the positional coordinates, and every layer's scores read "
            "them: the assumption is used and has to be made.",
        ),
    ):
        item = Evidence(claim, HOLDS, Strength.EXACT, scope, summary, certificate=certificate)
        yield settled(None if fine else f"{claim} fails on the built model", item)


@check("thm1.positions.third-head", "thm1.positions.residual")
def ways_to_carry_the_positions(job: Job) -> Iterator[Evidence]:
    """Ask whether a third head, or a plain residual connection, keeps the positions and the maps."""
    written = {j for _, j in theorem1.output(1).entries}
    dropped = sorted(set(theorem1.layout(1)["position"]) - written)
    yield Evidence(
        "thm1.positions.third-head",
        Outcome.FAILS if dropped else HOLDS,
        Strength.EXACT,
        "all n and T, with the printed feed-forward block",
        "Whatever a third head puts into the positional coordinates, the block after it loses it: "
        "W_out has zero columns there.",
        engine="exact weights",
        counterexample="n = 1: the last two columns of the printed W_out are zero.",
        repair="Extend the bilinear block so that it passes the positions on; that takes a "
        "coordinate that is constant one beside the positions.",
        certificate={"kind": "theorem1.output-columns", "n": 1, "zero": dropped},
    )
    arithmetic = Polynomial(generic.symbols(1, 2))
    automaton = generic.generic(1, 2, arithmetic.generators.__getitem__)
    simulation = theorem1.build(automaton, 2)
    x = arithmetic.array(simulation.encode(generic.word(2)))
    layer = realise_layer(simulation.transformer.layers[0], arithmetic)
    kept = x[simulation.row(2), 1] + layer(arithmetic, x)[simulation.row(2), 1]
    wanted = automaton.matrix("1")[0][0] * automaton.matrix("2")[0][0]
    yield Evidence(
        "thm1.positions.residual",
        HOLDS if kept == wanted else Outcome.FAILS,
        Strength.SYMBOLIC,
        "n = 1, T = 2, residual connection around the feed-forward block, the rest as printed",
        f"With x + f(x) the last token holds {kept}, not {wanted}: the old map is added.",
        engine="python-flint fmpz_mpoly",
        counterexample=f"n = 1, T = 2: {kept} for {wanted}.",
        certificate={"kind": "theorem1.residual", "first": 2, "second": 3, "found": 9, "wanted": 6},
    )
