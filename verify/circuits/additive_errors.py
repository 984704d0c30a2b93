"""Values of an additive stream with bounds on the model's error: an arithmetic of the circuit's machine.

Claimed      nothing beyond `verify.bounds.decoder_rounding`, whose derivation holds for any matrices: here
             its norms are those of one run, so that the bound holds for windows that no word has
Value        a matrix and a bound on the Frobenius norm of the model's error; in a digital model on its
             largest entry. ‖·‖ of exact matrices is a bound on the spectral norm
Sum          a value in the stream is a sum of contributions, one of the embedding, of each head and block.
             Errors add up, but for a block that saw this very sum: then the errors before it are known
             to come back multiplied. Each addition rounds; so does the removal of an edge
Head         brings X + F: the target's error, λ times the distance of the other values, rounding of the
             weights, and the reading of a norm. Of a mean no score differs, and nothing leaks
Block        sees W + E + F and S + F + r, F the error of the heads that both hold. With Y = W - S the sum
             W + SY errs by (I + S)E + F(I + Y) + FE + r(Y + E) - (S + F + r)r, and SY alone by
             S(E - r) + (F + r)(Y + E - r), besides rounding
Digital      entries are whole numbers, 0 and 1 but for interventions, so that no sum of two is nearer to its
             threshold than a half. A unit reads at most Z = κ(2M + 3/2) + c and is rounded within 16uZ, so
             an AND is within τ + 16uZ/c and their sum gains γ_{2n+8} n Z/c; erasing rounds by γ_24 of
             what is erased. Means are no whole numbers
Norm         |x|² is that of the token that an input sees: all features, without the edges that are removed
Removal      of k edges rounds 4k times more, by what the stream holds
Mixing       in another basis a coordinate of the stream is a sum of entries of features, at most g times as
             large as they, and rounded when it is stored; a feature is read as a sum of k of them whose
             weights add up to a in absolute value: k a g u a step in place of u (16u for blocks of four).
             What is replaced or read as 0 leaves γ_4 of its size and of the new one's. Sums of units round
             coordinates, and so what either feature holds
Logarithm    logits: `logarithm_bound`
Limits       the assumptions on floating point are those of `decoder_rounding`. Noise that distractors add
             counts in |x|² of a norm. An infinite bound says that nothing is known, not that it is wrong
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import flint

from constructions.blocks.digital import HALF_WIDTH, residue
from constructions.circuits.arithmetic import (
    Alpha,
    ExactArithmetic,
    Scaled,
    Shape,
    exact_matrix,
    identity,
)
from constructions.circuits.circuit import Circuit
from constructions.circuits.machine import Run
from constructions.circuits.parts import DECOY, LOGITS, Rows
from constructions.circuits.trace import Trace
from constructions.circuits.wiring import AND
from constructions.core.exact import ball
from verify.bounds.decoder import WordBounds, square_of_ball
from verify.bounds.decoder_rounding import DecoderRounding
from verify.bounds.floating import ONCE
from verify.bounds.norm_reading import NormReading
from verify.bounds.norms import largest
from verify.bounds.one_hot import READABLE
from verify.circuits.bounded_sum import ZERO, BlockErrors, BlockInput, BoundedSum, Edits
from verify.circuits.circuit_setting import (
    entry_bound,
    frobenius_bound,
    mixing_bits,
    norm_bound,
    row_bound,
    setting_of,
)
from verify.circuits.logarithm_bound import UNKNOWN, LogarithmBounds, top

EXACT = ExactArithmetic()
Tokens = Sequence[Sequence["BoundedSum"]]  # by what sees them: all features


@dataclass(frozen=True, eq=False)
class AdditiveErrors:
    """The arithmetic of the exact machine with bounds on the errors of sums beside its values."""

    circuit: Circuit
    edits: Edits
    sums: dict[object, BoundedSum] = field(default_factory=dict)

    @cached_property
    def digital(self) -> bool:
        """True if blocks read whole numbers, and errors are those of entries."""
        return self.circuit.constants["slope"] is not None

    @cached_property
    def count(self) -> int:
        """Factor by which the error of a matrix may exceed that of an entry."""
        return 1 if self.digital else self.circuit.n

    @cached_property
    def rounding(self) -> DecoderRounding:
        """The bound with rounding, in the type that the library computes in."""
        form, circuit = ONCE[str(self.circuit.constants["computes_in"])], self.circuit
        form = replace(form, bits=form.bits - mixing_bits(circuit))
        readout = circuit.readout
        weight = norm_bound(exact_matrix((readout.alpha,))) * norm_bound(
            exact_matrix(readout.outputs)
        )
        bounds = WordBounds(circuit.n, circuit.whole_number("built_length"), (), (), weight,
                            self.edits.entry * circuit.n + 1, len(readout.outputs[0]))  # fmt: skip
        return DecoderRounding(bounds, setting_of(circuit), form)

    @cached_property
    def mixed(self) -> bool:
        """True if features share coordinates."""
        return bool(mixing_bits(self.circuit))

    def rounded(self, size: flint.arb, times: int) -> flint.arb:
        """γ_k of a matrix with entries of that size, and what is lost below τ."""
        form = self.rounding.form
        return self.count * (form.gamma(times) * size + times * form.normal)

    def embed(self, rows: Rows) -> BoundedSum:
        """A token's matrix, rounded to the type of the weights and to that of the computation."""
        exact = EXACT.embed(rows)
        return BoundedSum(exact, self.rounded(entry_bound(exact.vector), 2))

    @cached_property
    def remainder(self) -> flint.arb:
        """Bound on the rest of a replaced value in mixed coordinates."""
        return self.rounded(2 * self.edits.entry, 4) if self.mixed else ZERO

    @cached_property
    def replaced(self) -> flint.arb:
        """Bound on the rests of all replaced values at any place of the stream."""
        return self.edits.replaced * self.remainder

    def zero(self, shape: Shape) -> BoundedSum:
        """Return what a block reads in place of a value."""
        return BoundedSum(EXACT.zero(shape), self.remainder)

    def total(
        self, added: Sequence[BoundedSum], removed: Sequence[BoundedSum], shape: Shape
    ) -> BoundedSum:
        """Return the sum of contributions, in their order, without those that are removed."""
        start = BoundedSum(EXACT.zero(shape), self.replaced)
        now = self.sums.setdefault(shape, start)
        for part in [*map(self.negative, removed), *added]:
            now = self.plus(now, part)
        return now

    def negative(self, part: BoundedSum) -> BoundedSum:
        """Return a contribution with the other sign."""
        return self.sums.setdefault(part, BoundedSum(Scaled(-part.matrix), part.error))

    def plus(self, now: BoundedSum, part: BoundedSum) -> BoundedSum:
        """Return a sum with one more contribution."""
        if (now, part) not in self.sums:
            matrix = now.matrix + part.matrix
            error = part.together if part.seen == now.parts else now.error + part.error
            size, edits = entry_bound(matrix) + error, 4 * self.edits.removed
            if edits:
                size = size.max(self.edits.entry)
            if self.mixed:
                size = size.max(part.token)
            error += self.rounded(size, edits + bool(now.parts or self.mixed)) + self.replaced
            self.sums[now, part] = BoundedSum(Scaled(matrix), top(error), (*now.parts, part))
        return self.sums[now, part]

    def without(self, value: BoundedSum, entry: int | None) -> BoundedSum:
        """Return the value with one entry, or all of it, set to 0."""
        return BoundedSum(EXACT.without(value.exact, entry), ZERO if entry is None else value.error)

    def width(self, value: BoundedSum) -> flint.arb:
        """A bound on the Frobenius norm of the model's value."""
        return value.frobenius + (self.circuit.n if self.digital else 1) * value.error

    def within(self, errors: Iterable[flint.arb]) -> bool:
        """Check that errors are at most what the sizes of edits assume."""
        free = not (self.mixed or self.edits.removed)
        return free or all(error <= self.edits.off for error in errors)

    def size(self, value: BoundedSum) -> flint.arb:
        """The size of the model's value in the norm of errors."""
        return value.entry if self.digital else self.width(value)

    def reading(self, tokens: Tokens, square: flint.arb = ZERO) -> NormReading:
        """Return the reading of a norm on any of some tokens; `square` is that of what else they hold."""
        most = largest(sum((square_of_ball(scale * self.width(value))
                            for scale, value in zip(self.scales, token, strict=True)), square)
                       for token in tokens)  # fmt: skip
        return self.rounding.reading(most)

    @cached_property
    def scales(self) -> list[flint.arb]:
        """Factor by which the stream holds each feature: more than 1 for a decoy alone."""
        spaces = [self.circuit.subspaces[name] for name in self.circuit.computed_features]
        return [ball(max(map(abs, space.write.entries.values()))) if space.feature == DECOY
                else flint.arb(1) for space in spaces]  # fmt: skip

    def gather(
        self,
        values: Sequence[BoundedSum],
        read: Sequence[int],
        share: Fraction,
        tokens: Callable[[int], Tokens],
    ) -> BoundedSum:
        """Return what a head brings: F of the module's docstring."""
        exact = EXACT.gather([value.exact for value in values], read, share)
        chosen = [values[j] for j in read]
        others = [value for j, value in enumerate(values) if j not in read]
        norm = self.reading([token for t in range(len(values)) for token in tokens(t)])
        terms, form = self.rounding.bounds.length + 1, self.rounding.form
        lost, many = self.rounding.leak(norm), form.gamma(2 * terms + 12)
        weights = many.min(form.gamma(24) + 4 * lost * (1 + many)) if len(read) == 1 else many
        below = terms * form.normal
        held = largest(sum((x.entry for x in token), ZERO) for token in tokens(len(values) - 1))
        size, grown = largest(value.entry for value in values), largest(map(self.size, values))
        error = largest(value.error for value in chosen)
        error += lost * self.spread(chosen, others) + norm.theta * (1 + lost) * grown
        error += self.count * ((weights + below) * size + norm.read_error(size) + 2 * below)
        if share != 1:  # several heads, whose sum rounds
            error += self.rounded(size, 8)
        return BoundedSum(exact, top(ball(share) * error), token=held + size)

    def spread(self, chosen: Sequence[BoundedSum], others: Sequence[BoundedSum]) -> flint.arb:
        """The largest distance of a value that a head reads from others."""
        norm = entry_bound if self.digital else frobenius_bound
        return largest(norm(x.matrix - y.matrix) + x.error + y.error
                       for x in chosen for y in others)  # fmt: skip

    def block(
        self,
        kind: str,
        read: BoundedSum,
        window: BoundedSum,
        alpha: Alpha,
        tokens: Callable[[], Tokens],
    ) -> tuple[BoundedSum, ...]:
        """Return what is added to the window and to the scratch."""
        exact = EXACT.block(kind, read.exact, window.exact, alpha)
        seen = BlockInput.of(read, window)
        missed = (self.conjunction if kind == AND else self.product)(seen, self.reading(tokens()))
        left = missed.left + (missed.sums if self.mixed else 0)
        more = self.rounded(read.entry, 24) if self.mixed else ZERO
        token = window.entry + read.entry + entry_bound(exact[0].vector) + missed.alone
        return (
            BoundedSum(exact[0], top(missed.alone + more), (), token, window.parts,
                       top(missed.together + more)),
            BoundedSum(exact[1], top(seen.rho + seen.f + left), (), token, read.parts, top(left)),
        )  # fmt: skip

    def product(self, seen: BlockInput, norm: NormReading) -> BlockErrors:
        """Return the errors of a block that multiplies."""
        read, window, e, rho, f = seen.read, seen.window, seen.e, seen.rho, seen.f
        unit, inner = identity(self.circuit.n), window.matrix - read.matrix
        left, right, near = norm_bound(read.matrix), norm_bound(inner), e + rho
        p, q = read.frobenius + f + rho, right + near
        rounding, setting = self.rounding, self.rounding.setting
        fineness, grown = setting.design.fineness, 1 + norm.theta
        if fineness is None:
            missed, kept = rounding.gated_errors(p, q, window.entry, norm)
            n = self.circuit.n
            sums = n * rounding.form.gamma(2 * n + 24) * square_of_ball(grown) * p * (q + n)
        else:
            missed, kept = rounding.plain_errors(fineness, p, q, window.entry, norm)
            sums = missed - self.circuit.n**2 * setting.product_error(grown * p, grown * q)
        missed += norm.pair_shrinkage * p * q
        together = norm_bound(unit + read.matrix) * e + norm_bound(unit + inner) * f + e * f
        together += rho * (right + e + left + f + rho)
        alone = left * near + (f + rho) * q
        return BlockErrors(together + missed, alone + missed, kept, sums)

    def conjunction(self, seen: BlockInput, norm: NormReading) -> BlockErrors:
        """Return those of a digital block, whose output is whole and replaces the window."""
        read, window, e, rho, f = seen.read, seen.window, seen.e, seen.rho, seen.f
        n, form = self.circuit.n, self.rounding.form
        matrices = (read.matrix, window.matrix, window.matrix - read.matrix)
        far = largest(map(entry_bound, matrices))
        misread = e + f + 2 * rho + 4 * norm.theta * (1 + far + e + f + rho)
        misread += 3 * norm.read_error(2 * far + e + f, 3)
        whole = all(x.q == 1 for matrix in matrices for x in matrix.entries())
        if not (misread <= ball(READABLE) and whole):
            return BlockErrors(UNKNOWN, UNKNOWN, UNKNOWN, ZERO)
        slope = self.circuit.whole_number("slope")
        size = (slope * (2 * far + 2) + HALF_WIDTH) / flint.arb(HALF_WIDTH)
        sums = n * (16 * form.roundoff + form.gamma(2 * n + 8)) * size
        kept = 2 * far + 2 + e + f + rho
        left = norm.theta * kept + form.gamma(24) * kept + 2 * norm.read_error(kept)
        together = n * ball(residue(self.rounding.setting.design.activation, slope)) + sums + left
        return BlockErrors(together, together + e + f, left, sums)

    # What is read

    def constant(self, exact: Scaled) -> BoundedSum:
        """Return a value without error."""
        return BoundedSum(exact)

    def belief(self, window: BoundedSum) -> BoundedSum:
        """Return αᵀX of the window X."""
        alpha = self.circuit.readout.alpha
        return BoundedSum(Scaled(exact_matrix((alpha,)) * window.matrix),
                          top(ball(sum(map(abs, alpha), Fraction(0))) * window.error))  # fmt: skip

    def outputs(self, trace: Trace, run: Run[BoundedSum], t: int) -> tuple[flint.arb, ...]:
        """Return a bound for each output at a position."""
        readout, count = self.circuit.readout, len(trace.outputs[t])
        tokens = run.tokens(self.circuit.by_name[LOGITS], t)
        _, state = self.state_error(run.final[t], tokens)
        if readout.logarithm is None or run.logarithm is None:
            return (state,) * count
        read, argument = self.state_error(run.arguments[t], run.tokens(run.logarithm, t))
        wide = largest(map(self.absolute_sum, (run.final[t], run.arguments[t])))
        highest, form = ball(readout.scale), self.rounding.form
        log = LogarithmBounds(readout.logarithm, self.circuit.n, form, read,
                              state.max(argument) / highest, wide / highest)  # fmt: skip
        sizes = [log.sizes(trace.argument(t, c), trace.linear(t, c)) for c in range(count)]
        squares = (square_of_ball(size + moved) for moved, size in sizes)
        last = self.reading(tokens, sum(squares, ZERO))
        return tuple(log.bound(moved, size, last) for moved, size in sizes)

    def absolute_sum(self, window: BoundedSum) -> flint.arb:
        """Return the largest Σ |α_i| |I + X|_ij |B_jc|, the size of the terms of f."""
        whole = entry_bound(identity(self.circuit.n) + window.matrix)
        columns = row_bound(exact_matrix(self.circuit.readout.outputs).transpose())
        return whole * flint.arb(row_bound(exact_matrix((self.circuit.readout.alpha,))) * columns)

    def state_error(self, window: BoundedSum, tokens: Tokens) -> tuple[NormReading, flint.arb]:
        """Return how a token is read, and the error of αᵀ(I + X)B, as in `DecoderRounding`."""
        n, rounding = self.circuit.n, self.rounding
        whole = identity(n) + window.matrix
        e, reach = window.error * (n if self.digital else 1), norm_bound(whole)
        read = self.reading(tokens)
        size = frobenius_bound(whole) + 1 + e + 4 * n * read.mean
        rounded = (rounding.form.gamma(n * n + n + 5) + read.each) * size
        error = e + read.theta * (reach + e) + rounded
        total = rounding.bounds.readout * error + rounding.lost_readout(reach + 1 + e, read)
        return read, top(total) if error.is_finite() and rounding.fits(e) else UNKNOWN
