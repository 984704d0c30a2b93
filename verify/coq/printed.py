"""Weights as Coq prints them, read back and compared entry by entry with those of the program.

Coq would take longer to print a text, in which each character is eight truth values, than to compute it.
So it prints whole numbers: `PACK` packs seven bytes of a text into one.

Notation      a matrix or tensor: `size 4 2; 2 0 : cos 1/2; 3 1 : 1`, entries that are not listed are zero
              a hidden unit: `0 1 9 -1 -1 : 3 = entry 0 1 2 , 5 = 1`, the two coordinates that it
              reads with their signs, its own sign, then coordinates that it adds to with weights
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from constructions.core.matrix import Entry, Matrix, Tensor

Place = tuple[int, ...]
Entries = dict[Place, Entry]
Form = tuple[tuple[int, Entry], ...]
Number = Callable[[list[str]], Entry]
WORD = re.compile(r"\b0x([0-9a-f]+)")
# Each number has a digit 1 before its bytes; the last one of a text has less than seven bytes.
FULL = 15  # hexadecimal digits
PACK = """
From Coq Require Uint63.
Module Packing.
Import Ascii Uint63.
Open Scope uint63_scope.
Definition bit (b : bool) (k : int) : int := if b then k else 0.
Definition byte (c : ascii) : int := let 'Ascii a b c d e f g h := c in
  bit a 1 + bit b 2 + bit c 4 + bit d 8 + bit e 16 + bit f 32 + bit g 64 + bit h 128.
Fixpoint words (word : int) (room : nat) (s : string) : list int :=
  match s, room with
  | EmptyString, O => [word; 1]
  | EmptyString, _ => [word]
  | String c s, O => word :: words (256 + byte c) 6 s
  | String c s, S room => words (256 * word + byte c) room s
  end.
Definition pack (weights : list (string * string)) : list int :=
  flat_map (fun w => words 1 7 (fst w) ++ words 1 7 (snd w))%list weights.
End Packing.
"""


class Unread(ValueError):
    """A weight that cannot be read or compared."""


@dataclass(frozen=True)
class Unit:
    """A hidden unit: the form that it reads, its bias, and the coordinates that it adds to."""

    reads: Form
    bias: Entry
    writes: Form


Weight = Matrix | Tensor | Entries | str | Counter[Unit]


def texts(printed: str) -> list[str]:
    """Return the texts that Coq packed; refuse a number of another form, and a text without end."""
    found, current = [], b""
    for word in WORD.findall(printed):
        if word[0] != "1" or len(word) % 2 == 0 or len(word) > FULL:
            raise Unread(f"the number 0x{word}")
        current += bytes.fromhex(word[1:])
        if len(word) < FULL:
            found.append(current.decode("ascii"))
            current = b""
    if current:
        raise Unread("a text does not end")
    return found


def pairs(printed: str) -> dict[str, str]:
    """Return the named weights that Coq packed; refuse a name that occurs twice."""
    found = texts(printed)
    named = dict(zip(found[::2], found[1::2], strict=True))
    if 2 * len(named) != len(found):
        raise Unread("a weight is there twice")
    return named


def read(text: str, number: Number) -> tuple[Place, Entries]:
    """Return shape and non-zero entries of a weight that Coq printed."""
    size, *lines = text.split("; ")
    entries: Entries = {}
    for line in lines:
        place, _, weight = line.partition(" : ")
        at = tuple(map(int, place.split()))
        if at in entries:
            raise Unread(f"entry {at} is there twice")
        entries[at] = number(weight.split())
    return tuple(int(k) for k in size.split()[1:]), entries


def form(terms: Iterable[tuple[int, Entry]]) -> Form:
    """Return a linear form: terms added up, zeros left out, in the order of the coordinates."""
    total: dict[int, Entry] = {}
    for coordinate, value in terms:
        total[coordinate] = total.get(coordinate, 0) + value
    return tuple(sorted((c, value) for c, value in total.items() if value != 0))


def read_unit(line: str, number: Number) -> Unit:
    """Return a printed hidden unit; its numbers are multiples of h and s, its bias is b."""
    reading, _, writing = line.partition(" : ")
    left, u, right, v, sign = map(int, reading.split())
    step, scale = number(["h"]), number(["s"])
    targets = [target.split(" = ") for target in writing.split(" , ")]
    return Unit(
        form([(left, u * step), (right, v * step)]),
        number(["b"]),
        form((int(c), sign * scale * number(weight.split())) for c, weight in targets),
    )


def unequal(printed: str, built: Weight, number: Number) -> Iterator[str]:
    """Yield the differences between a weight of the proof and one of the program."""
    if isinstance(built, str):
        if printed != built:
            yield f"{printed} in the proof, {built} in the program"
    elif isinstance(built, Counter):
        yield from unequal_units(Counter(read_unit(u, number) for u in printed.split("; ")), built)
    else:
        yield from unequal_entries(printed, built, number)


def unequal_units(proof: Counter[Unit], program: Counter[Unit]) -> Iterator[str]:
    """Yield the hidden units that only one side has."""
    for side, extra in (("proof", proof - program), ("program", program - proof)):
        for unit, times in extra.items():
            yield f"{times} hidden unit(s) only in the {side}: {unit}"


def unequal_entries(
    printed: str, built: Matrix | Tensor | Entries, number: Number
) -> Iterator[str]:
    """Yield the entries, and the shape, that differ."""
    shape, entries = read(printed, number)
    if not isinstance(built, dict) and shape != built.shape:
        yield f"shape {shape} in the proof, {built.shape} in the program"
    own: Entries = dict((built if isinstance(built, dict) else built.entries).items())
    for place in sorted(set(entries) | set(own)):
        left, right = entries.get(place, 0), own.get(place, 0)
        if left != right:
            yield f"entry {place} is {left} in the proof, {right} in the program"


@dataclass(frozen=True)
class Case:
    """One size: the term for Coq, the program's weights, the reader of printed numbers.

    `fixed` has the weights that the forward pass of the proof fixes and its data do not hold, by the
    end of their names.
    """

    where: str
    term: str
    program: Callable[[], Mapping[str, Weight]]
    number: Number
    fixed: Mapping[str, str] = field(default_factory=dict)

    def differences(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield each weight that differs between Coq's print and the program, with the difference."""
        program = self.program()
        proof = pairs(text) | {
            name: text
            for name in program
            for ending, text in self.fixed.items()
            if name.endswith(ending)
        }
        for name in sorted(set(proof) ^ set(program)):
            yield name, f"only in the {'proof' if name in proof else 'program'}"
        for name in sorted(set(proof) & set(program)):
            for line in unequal(proof[name], program[name], self.number):
                yield name, line
