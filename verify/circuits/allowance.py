"""Bounds on how far a model is from the exact machine in one run, with interventions and rounding.

Claimed      nothing beyond `verify.bounds.decoder_rounding`, whose derivation holds for any matrices: here
             its N_l and M_l are the largest norms that occur in the exact run itself, and not those of
             all words, so that the bound holds for windows that no word has
Run          before layer l a token holds W + E and S + r, ‖E‖ ≤ e, ‖r‖ ≤ ρ. M_l bounds ‖W‖ + ‖S‖ of every
             token, what heads can read, and X = S + what the head adds and Y = W - S as blocks read them;
             N_l bounds 1, ‖I + X‖ and ‖I + Y‖
Ablation     a head or block that adds nothing adds no error; a head that is moved reads one token exactly
Interchange  the window comes from the model's own run on the other word, whose error the same e bounds:
             the norms are those of both runs
Edges        a reader sees the stream less a source's part, whose error is at most the errors of the
             window before and after the source's layer. With E_v the error of what is seen, the window
             errs by E + F + X E_v + F_v Y + F_v E_v, so that N_l becomes 1 + M_l and e and ρ grow by that
             part; |x|² of a norm gains (3² - 1) n M². An edge that carries nothing costs the norm alone.
             A block that sees less than the stream, or adds nothing, leaves the head's errors in
             window and scratch: there e and ρ gain those between head and block
Digital      entries are whole numbers, 0 and 1 but for interventions, so that no sum of two is nearer to its
             threshold than a half: e and ρ are bounds on entries. A unit reads at
             most Z = κ(2M + 3/2) + c and is rounded within 16uZ, so an AND is within τ + 16uZ/c and their
             sum gains γ_{2n+8} n Z/c; erasing rounds by γ_24 of what is erased. Means are no whole numbers
Logarithm    logits: `logarithm_bound`
Decoy        holds what the window holds, less what interventions replace: with 1 + M for N its error is below
             e. Its square counts in |x|² of a norm
Several      heads of a layer bring shares of a window; adding them rounds by γ_8 of what they bring
Mixing       in another basis a coordinate of the stream is a sum of entries of features, at most g times as
             large as they, and rounded when it is stored; a feature is read as a sum of k of them whose
             weights add up to a in absolute value: k a g u a step in place of u (16u for blocks of four). A
             window that is replaced leaves γ_8 of its size and of the new one's
Limits       the assumptions on floating point are those of `decoder_rounding`. Noise that distractors add
             counts in |x|² of a norm. An infinite bound says that nothing is known, not that it is wrong
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil

import flint

from constructions.blocks.digital import HALF_WIDTH, residue
from constructions.circuits.arithmetic import Scaled, exact_matrix, identity, square_norm
from constructions.circuits.circuit import Circuit
from constructions.circuits.interventions import (
    AblateBlock,
    AblateFeature,
    AblateScratch,
    Interchange,
    Intervention,
    RemoveEdge,
)
from constructions.circuits.machine import Run
from constructions.circuits.parts import DECOY, SCRATCH, STREAM, VALUE, WINDOW, Hook
from constructions.circuits.trace import Trace
from constructions.circuits.wiring import BELIEF
from constructions.core.exact import ball, ceiling
from constructions.decoder import Design, Normalisation
from constructions.language_model import LanguageDesign
from verify.bounds.decoder import BITS, Setting, WordBounds, square_of_ball
from verify.bounds.decoder_rounding import DecoderRounding, Errors
from verify.bounds.floating import ONCE
from verify.bounds.norm_reading import NormReading
from verify.bounds.norms import largest
from verify.bounds.one_hot import READABLE
from verify.circuits.logarithm_bound import UNKNOWN, LogarithmBounds


@dataclass(frozen=True)
class Allowance:
    """Bounds on every entry: of window and scratch before, between and after layers, and of outputs.

    `outputs` has one bound for each position and output; `weight` is Σ|α_i|, for the belief.
    """

    embedded: Errors
    middle: tuple[Errors, ...]
    after: tuple[Errors, ...]
    outputs: tuple[tuple[flint.arb, ...], ...]
    weight: Fraction = Fraction(1)

    def at(self, site: str, layer: int) -> Errors:
        """The bounds at a hook."""
        if site == "embedding":
            return self.embedded
        return (self.middle if site == "middle" else self.after)[layer]

    def table(self, hook: Hook, name: str, count: int, size: int) -> list[list[float]]:
        """The bounds of a feature at a hook, by position and entry."""
        errors = self.at(hook.site, hook.layer)
        bounds = {WINDOW: errors.window, DECOY: errors.window, SCRATCH: errors.scratch,
                  BELIEF: ball(self.weight) * errors.window}  # fmt: skip
        return [[upper(bounds[name]) if name in bounds else 0.0] * size] * count


def upper(value: flint.arb) -> float:
    """A float at or above a bound."""
    top = float(value.upper()) if value.is_finite() else float("inf")
    return top * (1 + 2**-50)


@dataclass(frozen=True)
class CircuitSetting(Setting):
    """A setting with noise in the tokens, whose square is part of |x|²."""

    noise: Fraction = Fraction(0)

    def shrinkage(self, square_norm: flint.arb, n: int) -> flint.arb:
        """θ."""
        return super().shrinkage(square_norm + ball(self.noise), n)


def setting_of(circuit: Circuit) -> CircuitSetting:
    """The design and C of a circuit file."""
    c = circuit.constants
    fineness = None if c["fineness"] is None else int(c["fineness"])
    slope = None if c["slope"] is None else int(c["slope"])
    plain = 1 if slope is not None else fineness
    design = Design(
        str(c["activation"]),
        plain,
        Normalisation(str(c["norm"])),
        int(c["large"] or 0),
        Fraction(str(c["epsilon"])),
        circuit.whole_number("levels"),
    )
    logits = sum(feature.size for feature in circuit.features if feature.name == "logit")
    language = LanguageDesign.of(design, logits, slope)
    rotary = bool(c["rotary"])
    return CircuitSetting(
        language, Fraction(str(c["saturation"])), rotary, Fraction(str(c["noise"]))
    )


def mixing_bits(circuit: Circuit) -> int:
    """⌈log₂ k a g⌉, 0 if no two features share coordinates.

    Where sums have twice the digits of what is added up, as in Llama with float64, k is 1.
    """
    spaces = [circuit.subspaces[name] for name in (WINDOW, SCRATCH)]
    reads = [list(map(abs, form.values())) for s in spaces for form in s.read.columns()]
    writes = [list(map(abs, form.values())) for s in spaces for form in s.write.columns()]
    finer = circuit.constants["dtype"] == "float64" != circuit.constants["computes_in"]
    terms = 1 if finer else max(map(len, reads))
    weight, growth = (max(Fraction(1), *(sum(map(Fraction, form)) for form in forms))
                      for forms in (reads, writes))  # fmt: skip
    factor = terms * weight * growth
    return (ceil(factor) - 1).bit_length()


def norm_bound(matrix: flint.fmpq_mat) -> flint.arb:
    """min(‖A‖_F, √(‖A‖₁ ‖A‖_∞)), rounded up."""
    square = min(
        row_bound(matrix) * row_bound(matrix.transpose()), sum(x * x for x in matrix.entries())
    )
    return flint.arb(flint.arb(square).sqrt().upper())


def row_bound(matrix: flint.fmpq_mat) -> flint.fmpq:
    """‖A‖_∞, the largest sum of the absolute values of a row."""
    return max(sum(map(abs, row)) for row in matrix.table())


def entry_bound(matrices: Iterable[flint.fmpq_mat]) -> flint.arb:
    """The largest entry."""
    return flint.arb(max((abs(x) for matrix in matrices for x in matrix.entries()), default=0))


ASSUMED = (1, 16, 256, 4096)
Pair = tuple[flint.fmpq_mat, flint.fmpq_mat]


def _pairs(windows: Sequence[Scaled], scratches: Sequence[Scaled]) -> list[Pair]:
    return [(w.vector, s.vector) for w, s in zip(windows, scratches, strict=True)]


@dataclass(frozen=True)
class RunBounds:
    """The bounds for one run; `runs` are the exact run and those whose windows were put into it.

    `assumed` bounds what a decoy is off by in the Frobenius norm; where it is more nothing is known.
    """

    circuit: Circuit
    runs: tuple[Run[Scaled], ...]
    interventions: tuple[Intervention, ...]
    assumed: int = 1

    @cached_property
    def setting(self) -> CircuitSetting:
        """C, h, K and the noise; a norm may see three times the window where an edge is removed."""
        own = setting_of(self.circuit)
        removes = any(isinstance(each, RemoveEdge) for each in self.interventions)
        own = replace(
            own, noise=max(own.noise, Fraction(self.decoy_square * (9 if removes else 1)))
        )
        if not removes:
            return own
        far = ceiling(largest(map(self.distance, self.copies)))
        return replace(own, noise=own.noise + 8 * self.circuit.n * far * far)

    @property
    def has_decoy(self) -> bool:
        """True if the stream holds a copy of the window that nothing reads."""
        return DECOY in self.circuit.subspaces

    @cached_property
    def decoy_square(self) -> int:
        """A bound on |x|² of the decoy's coordinates."""
        if not self.has_decoy:
            return 0
        last = self.circuit.layers
        values = [run.stream(DECOY, site, layer, t) for run in self.runs for t in run.positions
                  for layer in range(-1, last) for site in ("middle", "after")]  # fmt: skip
        scale = max(abs(x) for x in self.circuit.subspaces[DECOY].write.entries.values())
        most = max(square_norm(value.vector) for value in values)
        return ceil(2 * (most + self.assumed**2) * Fraction(scale) ** 2)

    @cached_property
    def removals(self) -> list[RemoveEdge]:
        """The removed edges that carry something."""
        carrying = {(e.source, e.target, e.input) for e in self.circuit.edges if e.carries}
        removed = [each for each in self.interventions if isinstance(each, RemoveEdge)]
        return [each for each in removed if (each.source, each.target, each.input) in carrying]

    @property
    def partial(self) -> bool:
        """True if the input of some component is not the whole stream."""
        scratch = any(isinstance(each, AblateScratch) for each in self.interventions)
        return scratch or bool(self.removals) or (self.has_decoy and self.replaces)

    @property
    def replaces(self) -> bool:
        """True if a feature of the stream is replaced."""
        return any(isinstance(each, Interchange | AblateFeature) for each in self.interventions)

    @cached_property
    def copies(self) -> list[int]:
        """The layers whose heads copy windows."""
        return [part.layer for part in self.circuit.components if part.kind == "copy"]

    @cached_property
    def unit(self) -> flint.fmpq_mat:
        """I."""
        return identity(self.circuit.n)

    @cached_property
    def final_windows(self) -> list[flint.fmpq_mat]:
        """I + X of every window X that the readout sees."""
        return [self.unit + value.vector for run in self.runs for value in run.final]

    def layer_matrices(self, layer: int) -> list[flint.fmpq_mat]:
        """Return the windows that heads can read, and X and Y of every block."""
        heads = [part for part in self.circuit.components
                 if part.layer == layer and part.kind == "copy"]  # fmt: skip
        listed = [value.vector for run in self.runs for part in heads
                  for value in run.views[part.name, VALUE][WINDOW]]  # fmt: skip
        for window, scratch in self.block_views(layer):
            listed += [scratch, window - scratch]
        return listed

    def block_views(self, layer: int) -> list[Pair]:
        """Return the window and scratch that the block of a layer sees, at all positions of all runs."""
        seen = [run.views[f"mlp {layer}", STREAM] for run in self.runs]
        return [pair for view in seen if view for pair in _pairs(view[WINDOW], view[SCRATCH])]

    def stream_matrices(self, layer: int) -> list[Pair]:
        """Return the window and scratch in the stream before a layer, at all positions of all runs."""
        return [
            pair
            for run in self.runs
            for pair in _pairs(
                *(
                    [run.stream(name, "after", layer - 1, t) for t in run.positions]
                    for name in (WINDOW, SCRATCH)
                )
            )
        ]

    def distance(self, layer: int) -> flint.arb:
        """M of a layer."""
        held = [norm_bound(w) + norm_bound(s) for w, s in self.stream_matrices(layer)]
        return largest([*held, *map(norm_bound, self.layer_matrices(layer))])

    def norm(self, layer: int, distance: flint.arb) -> flint.arb:
        """N of a layer."""
        if self.partial:
            return 1 + distance
        shifted = [norm_bound(self.unit + matrix) for matrix in self.layer_matrices(layer)]
        return largest([flint.arb(1), *shifted])

    @cached_property
    def bounds(self) -> WordBounds:
        """The norms of the run in the form that the bound takes."""
        distances = tuple(map(self.distance, self.copies))
        norms = tuple(map(self.norm, self.copies, distances))
        readout = self.circuit.readout
        final = [norm_bound(window) for window in self.final_windows]
        outputs = exact_matrix(readout.outputs)
        weight = norm_bound(exact_matrix((readout.alpha,))) * norm_bound(outputs)
        return WordBounds(
            self.circuit.n,
            self.circuit.whole_number("built_length"),
            norms,
            distances,
            weight,
            largest(final),
            outputs.ncols(),
        )

    @cached_property
    def rounding(self) -> DecoderRounding:
        """The bound with rounding, in the type that the library computes in."""
        form = ONCE[str(self.circuit.constants["computes_in"])]
        form = replace(form, bits=form.bits - mixing_bits(self.circuit))
        return DecoderRounding(self.bounds, self.setting, form)

    @cached_property
    def incomplete(self) -> set[int]:
        """The layers whose block does not erase the whole output of the head."""
        layers = {each.layer for each in self.interventions
                  if isinstance(each, AblateScratch | AblateBlock)}  # fmt: skip
        return layers | {self.circuit.by_name[each.target].layer for each in self.removals}

    def error_of_removals(self, layer: int, known: Sequence[tuple[Errors, Errors]]) -> flint.arb:
        """The error of the removed contributions, for the components of a layer."""
        total = flint.arb(0)
        for each in self.removals:
            if self.circuit.by_name[each.target].layer == layer:
                source = self.circuit.by_name[each.source]
                if source.name != "embed" and source.layer < len(known):
                    middle, after = known[source.layer]
                    total += middle.window + after.window + middle.scratch + after.scratch
        return total

    def step(self, layer: int, before: Errors) -> tuple[Errors, Errors]:
        """The errors between head and block, and after the block."""
        if self.setting.design.slope is not None:  # type: ignore[attr-defined]
            return self.digital_step(layer, before)
        number = self.copies.index(layer)
        after = self.rounding.step(number + 1, before)
        far, n, u = self.bounds.distances[number], self.bounds.n, self.rounding.form.roundoff
        e, rho = before.window, before.scratch
        read = self.rounding.reading(n * (square_of_ball(far + e) + square_of_ball(rho)))
        f = self.rounding.head(far, e, read)
        window, scratch = e + f + n * u * (2 * far + e + f), rho + f + n * u * (far + f + rho)
        return Errors(window, scratch), after

    def sum_of_heads(self, layer: int) -> flint.arb:
        """Bound the rounding error of adding the outputs of several heads: γ_8 of their size."""
        heads = [part for part in self.circuit.components
                 if part.layer == layer and part.kind == "copy"]  # fmt: skip
        if len(heads) == 1:
            return flint.arb(0)
        n, form = self.bounds.n, self.rounding.form
        return n * (form.gamma(8) * (self.distance(layer) + 1) + 8 * form.normal)

    def digital_step(self, layer: int, before: Errors) -> tuple[Errors, Errors]:
        """Return the same bounds for entries of a digital model."""
        n, form, e, rho = self.bounds.n, self.rounding.form, before.window, before.scratch
        far = entry_bound([*self.layer_matrices(layer), *self.stream_before(layer)])
        square = 8 * n * n * square_of_ball(2 * far + 1 + e + rho)
        read = self.rounding.reading(square)
        f = self.rounding.head(far, e, read)
        rounded = form.gamma(8) * (2 * far + e + f)
        middle = Errors(e + f + rounded, rho + f + rounded)
        misread = e + f + 2 * rho + 4 * read.theta * (1 + far + e + f + rho)
        misread += 3 * read.read_error(2 * far + e + f, 3)
        if not (misread <= ball(READABLE) and self.reads_whole_numbers(layer)):
            return middle, Errors(UNKNOWN, UNKNOWN)
        slope = self.circuit.whole_number("slope")
        size = (slope * (2 * far + 2) + HALF_WIDTH) / flint.arb(HALF_WIDTH)
        units = ball(residue(self.setting.design.activation, slope))
        units += (16 * form.roundoff + form.gamma(2 * n + 8)) * size
        kept = 2 * far + 2 + e + f + rho
        left = read.theta * kept + form.gamma(24) * kept + 2 * read.read_error(kept)
        return middle, Errors(n * units + left, left)

    def stream_before(self, layer: int) -> list[flint.fmpq_mat]:
        """Return the matrices in the stream before the head of a layer."""
        return [matrix for pair in self.stream_matrices(layer) for matrix in pair]

    def reads_whole_numbers(self, layer: int) -> bool:
        """Check that no sum that a digital unit reads is nearer to its threshold than a half."""
        matrices = (matrix for pair in self.block_views(layer) for matrix in pair)
        return all(entry.q == 1 for matrix in matrices for entry in matrix.entries())

    def with_patch_errors(self, errors: Errors) -> Errors:
        """Add the remainder of an old window where a new one is added to mixed coordinates."""
        if not (self.replaces and (mixing_bits(self.circuit) or self.has_decoy)):
            return errors
        left = self.rounding.form.gamma(8) * 2 * largest(self.bounds.distances)
        return Errors(errors.window + left, errors.scratch + left)

    def errors(self) -> tuple[Errors, list[tuple[Errors, Errors]]]:
        """The errors of the embedding and of every layer, unchanged where no head copies."""
        n, form = self.bounds.n, self.rounding.form
        first = self.bounds.distances[0]
        now = Errors(2 * n * form.roundoff * first + n * form.normal, flint.arb(0))
        now = self.with_patch_errors(now)
        begin, known = now, list[tuple[Errors, Errors]]()
        for layer in range(self.circuit.layers):
            if layer not in self.copies:
                known.append((now, now))
                continue
            unseen = self.error_of_removals(layer, known) + begin.window + self.sum_of_heads(layer)
            middle, now = self.step(layer, Errors(now.window + unseen, now.scratch + unseen))
            if layer in self.incomplete:
                now = Errors(now.window + middle.window, now.scratch + middle.scratch)
            now = self.with_patch_errors(now)
            now = Errors(flint.arb(now.window.upper()), flint.arb(now.scratch.upper()))
            if self.has_decoy and not n * now.window <= self.assumed:
                now = Errors(UNKNOWN, UNKNOWN)
            known.append((middle, now))
        return begin, known

    def allowance(self) -> Allowance:
        """All bounds of the run."""
        with flint.ctx.workprec(BITS):
            begin, known = self.errors()
            last = known[-1][1]
            seen = last.window + self.error_of_removals(self.circuit.layers - 1, known)
            return Allowance(
                begin,
                tuple(middle for middle, _ in known),
                tuple(after for _, after in known),
                self.output_bounds(replace(last, window=seen)),
                sum(map(abs, self.circuit.readout.alpha), Fraction(0)),
            )

    def output_bounds(self, last: Errors) -> tuple[tuple[flint.arb, ...], ...]:
        """For every position and output."""
        read, state = self.state_error(last)
        trace, readout = Trace(self.runs[0]), self.circuit.readout
        exact = trace.outputs
        if readout.logarithm is None or readout.largest is None:
            return tuple((state,) * len(row) for row in exact)
        top, wide = readout.largest, self.absolute_sum() / ball(readout.largest)
        n, form = self.bounds.n, self.rounding.form
        log = LogarithmBounds(readout.logarithm, n, form, read, state / ball(top), wide)
        rows = zip(trace.arguments, exact, strict=True)
        return tuple(
            self.logit_bounds(log, [x / top for x in inside], [y / top for y in outside])
            for inside, outside in rows
        )

    def logit_bounds(
        self, log: LogarithmBounds, inside: Sequence[Fraction], outside: Sequence[Fraction]
    ) -> tuple[flint.arb, ...]:
        """The logits of one position; the last norm sees them all."""
        sizes = [log.sizes(ball(x), ball(y)) for x, y in zip(inside, outside, strict=True)]
        n, whole = self.bounds.n, self.bounds.reach + 2
        square = 2 * n * square_of_ball(whole) + sum(
            (square_of_ball(size + moved) for moved, size in sizes), flint.arb(0)
        )
        last = self.rounding.reading(square)
        return tuple(log.bound(moved, size, last) for moved, size in sizes)

    def absolute_sum(self) -> flint.arb:
        """The largest Σ |α_i| |I + X|_ij |B_jc|, the size of the terms of f."""
        readout = self.circuit.readout
        columns = row_bound(exact_matrix(readout.outputs).transpose())
        return entry_bound(self.final_windows) * flint.arb(
            row_bound(exact_matrix((readout.alpha,))) * columns
        )

    def state_error(self, last: Errors) -> tuple[NormReading, flint.arb]:
        """The error of αᵀ(I + X)B in the Euclidean norm, as `DecoderRounding.state_error` has it."""
        bounds, n, rounding = self.bounds, self.bounds.n, self.rounding
        e, root = last.window, flint.arb(n).sqrt()
        digital = self.setting.design.slope is not None  # type: ignore[attr-defined]
        e = n * e if digital else e  # a bound on entries gives one on the norm by a factor n
        whole = bounds.reach + 1 + e
        read = rounding.reading(n * (square_of_ball(whole) + square_of_ball(last.scratch)))
        size = root * whole + 1 + 4 * n * read.mean
        rounded = (rounding.form.gamma(n * n + n + 5) + read.each) * root * size
        error = e + read.theta * (bounds.reach + e) + rounded
        total = bounds.readout * error + rounding.lost_readout(whole, read)
        fits = error.is_finite() and rounding.fits(e)
        return read, flint.arb(total.upper()) if fits else UNKNOWN


def allowance(
    circuit: Circuit, runs: Sequence[Run[Scaled]], interventions: Sequence[Intervention]
) -> Allowance:
    """The bounds of a run, `runs[0]`; the other runs are those it copies windows from."""
    for assumed in ASSUMED:
        bounds = RunBounds(circuit, tuple(runs), tuple(interventions), assumed)
        found = bounds.allowance()
        if not bounds.has_decoy or found.after[-1].window.is_finite():
            break
    return found
