"""The exact values of a run: features at the hooks, outputs, states and beliefs.

Scale         the features, outputs and states of a normalised stream (olmo2) are given up to a factor above
              0, whose square is exact (`squares`); beliefs and ratios of outputs are exact everywhere
Outputs       αᵀ(I + X)B of the window X, or the belief times B; with a logarithm, what it is taken of:
              `argument` is f/M as its units see it, `linear` f/M as the readout sees it
Last norm     of a normalised stream K x/√(|x|² + dε), 1 where the last block has written K. With that block
              ablated nothing neutralises the norm, and `last_factor` is K/√(|x|² + dε)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import flint

from constructions.circuits.arithmetic import (
    ExactArithmetic,
    Scaled,
    exact_matrix,
    fractions,
    square_norm,
)
from constructions.circuits.circuit import Circuit
from constructions.circuits.interventions import Intervention
from constructions.circuits.machine import Run, run
from constructions.circuits.parts import PLACE, WINDOW, Hook, Rows
from constructions.circuits.wiring import BELIEF
from constructions.core.errors import InputError
from constructions.core.exact import ball

Row = tuple[Fraction, ...]


@dataclass(frozen=True)
class Trace:
    """A run of the machine in exact arithmetic: `trace[name]` has the features at a hook."""

    run: Run[Scaled]

    @property
    def circuit(self) -> Circuit:
        """The circuit that was run."""
        return self.run.circuit

    def __getitem__(self, name: str) -> dict[str, list[Row]]:
        """Return the features at a hook, by its name."""
        return self.features(self._hook(name))

    def _hook(self, name: str) -> Hook:
        names = {hook.name: hook for hook in self.circuit.hooks}
        if name not in names:
            raise InputError("hook", name, f"one of {', '.join(names)}")
        return names[name]

    def values(self, hook: Hook) -> dict[str, list[Scaled]]:
        """Return every feature that a hook holds, with its scale; noise, logits and K are left out."""
        positions = self.run.positions
        listed = {feature.name: [_constant(feature.computed)] * len(positions)
                  for feature in self.circuit.features
                  if feature.computed.startswith("constant ")}  # fmt: skip
        listed[PLACE] = [self._place(t) for t in positions]
        if BELIEF in hook.holds and BELIEF not in self.circuit.computed_features:
            alpha = exact_matrix((self.circuit.readout.alpha,))
            listed[BELIEF] = [
                Scaled(alpha * self.run.at_hook(WINDOW, hook, t).vector) for t in positions
            ]
        for name in self.circuit.computed_features:
            if name in hook.holds:
                listed[name] = [self.run.at_hook(name, hook, t) for t in positions]
        return {name: listed[name] for name in hook.holds if name in listed}

    def _place(self, t: int) -> Scaled:
        if self.circuit.normalised:
            return Scaled(exact_matrix(((Fraction(1), Fraction(0)),)))
        share = Fraction(t, self.circuit.whole_number("span"))
        return Scaled(exact_matrix(((share, share**2),)))

    def features(self, hook: Hook) -> dict[str, list[Row]]:
        """Return every feature that a hook holds, for every position.

        Examples:
            >>> import assay, tempfile
            >>> order = assay.Order(4)
            >>> folder = assay.export(assay.families.counting(), order, tempfile.mkdtemp()).folder
            >>> circuit = assay.circuits.load_circuit(folder)
            >>> sorted(circuit.values("0000").features(circuit.hooks[-1]))
            ['one', 'place', 'scratch', 'window']

        """
        return {name: [fractions(value.vector) for value in rows]
                for name, rows in self.values(hook).items()}  # fmt: skip

    def squares(self, name: str) -> dict[str, list[Fraction]]:
        """Return the square of every feature's scale at a hook, by the hook's name."""
        return {feature: [value.square for value in rows]
                for feature, rows in self.values(self._hook(name)).items()}  # fmt: skip

    @property
    def has_logits(self) -> bool:
        """True if logits reach the readout."""
        return self.run.has_logits

    @cached_property
    def outputs(self) -> list[Row]:
        """The outputs at every position, before the logarithm if the model has one."""
        return [self._read(value, self.circuit.readout.outputs) for value in self.run.final]

    @cached_property
    def arguments(self) -> list[Row]:
        """The outputs as the block of logarithms reads them."""
        return [self._read(value, self.circuit.readout.outputs) for value in self.run.arguments]

    @cached_property
    def states(self) -> list[Row]:
        """The automaton's state after every position."""
        return [self._read(value, self.circuit.readout.state) for value in self.run.final]

    @cached_property
    def beliefs(self) -> list[Row] | None:
        """States divided by the weight ahead; None where the automaton is no process."""
        ahead = self.circuit.readout.ahead
        if ahead is None:
            return None
        return [tuple(x / total for x in state) if total else state for state in self.states
                for total in [sum(x * v for x, v in zip(state, ahead, strict=True))]]  # fmt: skip

    def _read(self, value: Scaled, columns: Rows) -> Row:
        vector = value.vector
        if not self.circuit.normalised:
            alpha = exact_matrix((self.circuit.readout.alpha,))
            vector = alpha + alpha * vector
        return fractions(vector * exact_matrix(columns))

    def linear(self, position: int, output: int) -> flint.arb:
        """Return f/M as the readout sees it."""
        return self._ratio(self.run.final[position], self.outputs[position][output])

    def argument(self, position: int, output: int) -> flint.arb:
        """Return f/M as the units of the logarithm see it."""
        return self._ratio(self.run.arguments[position], self.arguments[position][output])

    def _ratio(self, value: Scaled, weight: Fraction) -> flint.arb:
        return value.scale * ball(weight / self.circuit.readout.scale)

    def last_factor(self, position: int) -> flint.arb:
        """Return the factor of the last norm: 1 if the stream holds K, with h = 0 neglected."""
        if self.run.has_large or not self.circuit.normalised:
            return flint.arb(1)
        constants = self.circuit.constants
        square = 2 + self.circuit.width * Fraction(str(constants["epsilon"]))  # one, and the place
        for name in self.circuit.computed_features:
            value = self.run.stream(name, "after", self.circuit.layers - 1, position)
            square += value.square * square_norm(value.vector)
        return flint.arb(self.circuit.whole_number("large")) / ball(square).sqrt()


def _constant(computed: str) -> Scaled:
    return Scaled(exact_matrix(((Fraction(computed.removeprefix("constant ")),),)))


def exact_run(
    circuit: Circuit, word: Sequence[str], interventions: Sequence[Intervention] = ()
) -> Run[Scaled]:
    """Return the run of a word in exact arithmetic."""
    written = circuit.constants.get("written_square")
    arithmetic = ExactArithmetic(None if written is None else Fraction(str(written)))
    return run(circuit, word, tuple(interventions), arithmetic)
