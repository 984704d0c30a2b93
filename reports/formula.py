"""Formulas inside plain text: one parser, for LaTeX and for HTML.

The record is plain text, in which formulas are written as one types them: ε_tot^(ℓ-1), 2n² + 2,
R^{T×n}, ‖A^σ‖, √(T+1), O(log T). `parts` splits a line into prose and formulas.

Takes         a single letter by itself, a Greek letter, a sign of mathematics, a number
              beside one of these; scripts as in TeX or by their own letters; brackets if all that
              they hold is a formula
Leaves        words, names of files, numbers alone, references such as [1] and Appendix C, and
              a, b, I, and A at the beginning of a sentence, unless a sign or a script binds them
Promises      nothing is lost: the sources of the parts, joined, are the line; nesting is bounded,
              so that no text makes the parser slow
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from reports.nodes import (
    ASTERISK,
    FENCES,
    GREEK,
    LOWERED,
    PRIME,
    RAISED,
    Fence,
    Formula,
    Gap,
    Node,
    Nodes,
    Role,
    Root,
    Scripted,
    Sign,
    plain,
    script_letters,
    with_scripts,
)

SIGNS = "≤≥≠≈≡≪≫≅∼∝±∓×÷·⋅∘∗−∈∉⊂⊆⊃⊇∪∩∖∧∨⊕⊗⊙→←↔⇒⇐⇔↦…⋯"
LETTERS = f"{GREEK}ℓ∞∅∂∇½¼¾⅓ℝℕℤℚℂ𝔹⊤⊥"
OPERATORS = f"{SIGNS}=+<>-/\\"
DEEPEST = 8

NUMBER = re.compile(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?")
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+(?:[_.][A-Za-z0-9]+)*")
POWER = re.compile(r"[0-9]+[_^]")
LETTER = re.compile(f"[{LETTERS}]")
INDEXED = re.compile(r"(?<![A-Za-z0-9])([A-Za-z])([0-9]{1,2})(?![A-Za-z0-9_^])")
FACTORS = re.compile(r"[A-Z]{2}(?![A-Za-z0-9])")
INDICES = re.compile(r"[A-Za-z]{2}(?![A-Za-z0-9])")
NAMES = "log|ln|max|min|cos|sin|exp"
CALLED = "str|vec|depth|height|diag"
FUNCTION = re.compile(rf"(?<![A-Za-z0-9])({NAMES})(2(?= ))?(?![A-Za-z0-9])")
NAMED = re.compile(rf"(?<![A-Za-z0-9])({CALLED})(?=\()")
WORDS = re.compile(rf"(?:(?!(?:{NAMES}|{CALLED})2?(?![A-Za-z])){WORD.pattern}|[ ,.;])+")
SUM = re.compile(r"Σ(?=_| ?sin| ?cos)")
WRITTEN = re.compile(
    rf"(-?)(?:([{LETTERS}]|[0-9]+)|([A-Za-z])([0-9]+)|((?:[A-Za-z](?:'+(?!s\b))?)+))"
)
PRIMES = re.compile(r"'+(?![A-Za-z])")
STAR = re.compile(r"\*(?![\w*])")
REFERENCE = re.compile(r"(?:Appendix|Definition|Section|Table|Figure|Part) $")
WORDY = re.compile(r" [A-Za-z]{2,}")
BEFORE = re.compile(r"(?:[\w'’.\\]|[A-Za-z]-)$")
AFTER = re.compile(rf"(?![{LETTERS}{''.join(RAISED)}{''.join(LOWERED)}])[^\W_]|\.\w")


class Prose(Exception):
    """The text is not a formula."""


def parts(line: str) -> Iterator[str | Formula]:
    """The line as prose and formulas, in their order."""
    at, prose = 0, ""
    while at < len(line):
        words = WORDS.match(line, at)
        found = None if words else _formula(line, at)
        if found:
            if prose:
                yield prose
            yield found
            at, prose = at + len(found.source), ""
        else:
            whole = words or WORD.match(line, at) or NUMBER.match(line, at)
            end = whole.end() if whole else at + 1
            at, prose = end, prose + line[at:end]
    if prose:
        yield prose


def _formula(line: str, at: int) -> Formula | None:
    """The formula that begins here, if one does."""
    reader = _Reader(line, at)
    try:
        nodes = reader.run()
    except Prose:
        return None
    return Formula(nodes, line[at : reader.at]) if _is_formula(nodes) else None


def _is_formula(nodes: Nodes) -> bool:
    """Return whether a run is more than numbers: 7, 1/2 and (1, 0) are prose, -1 and 10⁻³ are not."""
    negative = nodes[0] == Sign("-", "operator")
    return negative or any(_mathematical(node) for node in nodes)


def _mathematical(node: Node) -> bool:
    if isinstance(node, Fence) and node.opening in "([{":
        return _is_formula(node.inner)
    if isinstance(node, Sign):
        return node.role not in ("number", "mark") and node.text not in "-/"
    return not isinstance(node, Gap)


class _Reader:
    """Parser of the formula at a position of a line; raises `Prose` if there is no formula."""

    def __init__(self, line: str, at: int) -> None:
        self.line, self.at, self.depth = line, at, 0

    @property
    def next(self) -> str:
        """The next character, or nothing."""
        return self.line[self.at : self.at + 1]

    def run(self) -> Nodes:
        """Operands with operators between them, as far as they go."""
        nodes = self._opening()
        while self._attempt(self._bound, nodes) or (
            self._may_multiply(nodes[-1]) and self._attempt(self._next_factor, nodes)
        ):
            pass
        return tuple(nodes)

    def _may_multiply(self, last: Node) -> bool:
        """Return whether a factor may follow after a space: 2 max, but not 2 T, which is rather prose."""
        number = isinstance(last, Sign) and last.role == "number"
        return not number or FUNCTION.match(self.line, self.at + 1) is not None

    def _opening(self) -> list[Node]:
        """Parse an operator without operand, or the first operand."""
        if self.next and self.next in SIGNS:
            return [self._operator()]
        start = self.at
        nodes = self._operand(strict=False)
        if self._may_be_word(start) and not self._attempt(self._bound, nodes):
            raise Prose
        return nodes

    def _attempt(self, step: Callable[[], list[Node]], nodes: list[Node]) -> bool:
        """Try a step; restore the position if it fails."""
        at, depth = self.at, self.depth
        try:
            nodes += step()
        except Prose:
            self.at, self.depth = at, depth
            return False
        return True

    def _bound(self) -> list[Node]:
        """Parse an operator and its operand, or an operand that follows without a space."""
        before = self._gaps()
        if not self.next or self.next not in OPERATORS:
            if before:
                raise Prose
            return self._operand(strict=True)
        plain = self.next not in SIGNS
        backslash = self.next == "\\"
        operator = self._operator()
        after = self._gaps()
        if (plain and len(before) != len(after)) or (backslash and not before) or self._article():
            raise Prose
        return [*before, operator, *after, *self._operand(strict=True)]

    def _next_factor(self) -> list[Node]:
        """A factor after a space."""
        gaps = self._gaps()
        number = self.next.isdigit() and not POWER.match(self.line, self.at)
        if not gaps or number or self.next == "-" or self._may_be_word(self.at):
            raise Prose
        return [*gaps, *self._operand(strict=False)]

    def _may_be_word(self, at: int) -> bool:
        """Return whether a letter without a script may be a word: a, b, I, or A where a sentence begins."""
        letter, after = self.line[at : at + 1], self.line[at + 1 : at + 2]
        if after and (after in "_^'(*" or after in RAISED or after in LOWERED):
            return False
        begins = self.line[:at].rstrip(" ")[-1:] in ("", *".:;!?“(")
        return bool(letter) and (letter in "abI" or (letter == "A" and begins))

    def _article(self) -> bool:
        return self.next in ("a", "A", "I") and WORDY.match(self.line, self.at + 1) is not None

    def _gaps(self) -> list[Node]:
        start = self.at
        while self.next == " ":
            self.at += 1
        return [Gap()] * (self.at - start)

    def _operator(self) -> Node:
        """An operator; ×₁ says by its index which mode of a tensor it contracts."""
        sign = Sign(self.next, "operator")
        self.at += 1
        return self._scripts(sign) if self._place() == "_" else sign

    def _operand(self, strict: bool) -> list[Node]:
        """A sign with its scripts; `strict` between brackets, where every letter is one."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise Prose
        negative = [self._operator()] if self.next == "-" and self._negative() else []
        found = self._function() or [self._scripts(self._primary(strict))]
        self.depth -= 1
        return [*negative, *found]

    def _negative(self) -> bool:
        before, after = self.line[: self.at][-1:], self.line[self.at + 1 : self.at + 2]
        return not (before.isalnum() or before in ")]}-_") and after not in (" ", "-", "")

    def _function(self) -> list[Node]:
        """Parse a function such as log with its argument, or return []."""
        match = FUNCTION.match(self.line, self.at)
        if not match:
            return []
        self.at = match.end()
        name: Node = Sign(match[1], "function")
        if match[2]:
            name = Scripted(name, (Sign(match[2], "number"),), ())
        name = self._scripts(name)
        if self.next == "-":
            raise Prose
        return [name, *self._gaps(), *self._operand(strict=False)]

    def _primary(self, strict: bool) -> Node:
        if self.next in FENCES:
            return self._fence()
        if self.next == "√":
            return self._root(strict)
        return self._sign(strict)

    def _root(self, strict: bool) -> Root:
        self.at += 1
        under = self._operand(strict)
        if len(under) != 1:
            raise Prose
        return Root(under[0])

    def _sign(self, strict: bool) -> Node:
        """A name before a bracket, a number or a letter."""
        patterns: tuple[tuple[re.Pattern[str], Role], ...] = (
            (NAMED, "word"), (NUMBER, "number"), (SUM, "function"), (LETTER, "letter"),
        )  # fmt: skip
        for pattern, role in patterns:
            if match := pattern.match(self.line, self.at):
                self.at = match.end()
                return Sign(match[0], role)
        return self._latin(strict)

    def _latin(self, strict: bool) -> Node:
        """A single letter of the Latin alphabet that is no word and no part of one."""
        char, at = self.next, self.at
        letter = char.isascii() and char.isalpha() and not AFTER.match(self.line, at + 1)
        if not letter or (not strict and self._continues_word(at)):
            raise Prose
        self.at += 1
        return Sign(char, "letter")

    def _continues_word(self, at: int) -> bool:
        """Return whether a letter continues a word, or names an appendix."""
        before = self.line[max(0, at - 12) : at]
        return BEFORE.search(before) is not None or REFERENCE.search(before) is not None

    def _fence(self) -> Fence:
        """A bracket whose contents are a formula; [1] is a reference."""
        opening = self.next
        self.at += 1
        inner = self._items(FENCES[opening])
        if opening == "[" and len(inner) == 1 and not _is_formula(inner):
            raise Prose
        return Fence(opening, inner)

    def _items(self, closing: str, pair: re.Pattern[str] = FACTORS) -> Nodes:
        """Everything up to the closing bracket; `pair` says which two letters are no word."""
        nodes: list[Node] = []
        while self.next != closing:
            nodes += self._item(pair)
        self.at += 1
        if not nodes:
            raise Prose
        return tuple(nodes)

    def _item(self, pair: re.Pattern[str]) -> list[Node]:
        if not self.next:
            raise Prose
        if self.next == " ":
            return self._gaps()
        if self.next in ",;:":
            self.at += 1
            return [Sign(self.line[self.at - 1], "mark")]
        if self.next in OPERATORS:
            return [self._operator()]
        if pair.match(self.line, self.at):
            self.at += 2
            return [Sign(char, "letter") for char in self.line[self.at - 2 : self.at]]
        if match := INDEXED.match(self.line, self.at):
            self.at = match.end()
            return [Scripted(Sign(match[1], "letter"), (Sign(match[2], "number"),), ())]
        return self._operand(strict=True)

    def _scripts(self, base: Node) -> Node:
        """The base with all scripts that follow it."""
        slots: dict[str, Nodes] = {}
        while place := self._place():
            if place in slots:
                if self.next == place:
                    raise Prose
                base, slots = with_scripts(base, slots), {}
            slots[place] = self._script()
        return with_scripts(base, slots) if slots else base

    def _place(self) -> str:
        """Position of the next script: `_` below, `^` above, "" for no script."""
        if not self.next:
            return ""
        if self.next == "_" or self.next in LOWERED:
            return "_"
        raised = self.next == "^" or self.next in RAISED
        return "^" if raised or PRIMES.match(self.line, self.at) or self._star() else ""

    def _star(self) -> bool:
        return STAR.match(self.line, self.at) is not None

    def _script(self) -> Nodes:
        """Parse the contents of a script."""
        if self.next in "_^":
            self.at += 1
            return self._written()
        if self.next in LOWERED or self.next in RAISED:
            return self._small(LOWERED if self.next in LOWERED else RAISED)
        if self._star():
            self.at += 1
            return (Sign(ASTERISK, "letter"),)
        start = self.at
        while self.next == "'":
            self.at += 1
        return (Sign(PRIME * (self.at - start), "letter"),)

    def _small(self, table: dict[str, str]) -> Nodes:
        """A run of raised or of lowered letters."""
        text = ""
        while self.next and self.next in table:
            text += table[self.next]
            self.at += 1
        return tuple(plain(char) for char in text)

    def _written(self) -> Nodes:
        """Parse the text after _ or ^: a group, a number, a sign, or letters."""
        if self.next == "{":
            self.at += 1
            return self._items("}", INDICES)
        if self.next and self.next in "(⌈⌊":
            return (self._fence(),)
        match = WRITTEN.match(self.line, self.at)
        if not match:
            raise Prose
        self.at = match.end()
        minus, sign, letter, index, letters = match.groups()
        if self.next.isascii() and self.next.isalnum():
            raise Prose
        nodes: list[Node] = [Sign("-", "operator")] if minus else []
        nodes += script_letters(letters) if letters else [plain(sign or letter)]
        if index or (self.next and self.next in LOWERED):
            low = (Sign(index, "number"),) if index else self._small(LOWERED)
            nodes[-1] = Scripted(nodes[-1], low, ())
        return tuple(nodes)
