"""One layer counts zeros at every length: two constructions and their proofs.

Constructs    masked    one layer, two heads, embedding 4, bilinear: a head that averages over the
                        past, times the position, is the count; exact for every T
              unmasked  one layer, soft attention without a mask, embedding 6: scores
                        -K^(2p_j - 2p_i - 1) lie in [-1/K, 0] for p_j ≤ p_i and below -K after
                        it, so softmax nearly averages over the past; error at most 3(T+1)/(K-1)
Notation      z_j = 1 where x_j = 0; positions p = 1 … T + 1, the first token is a begin mark
              with z = 0; c_t = z_1 + … + z_t; state (c_t, 1)
Unlike print  Section 2.4 has no mask; PyTorch's encoder, which the paper trains, takes one. The
              second construction shows that none is needed for any precision.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import sympy

from constructions.arithmetic import Balls, Multiprecision, Rational
from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.core.exact import ball
from constructions.core.layout import Layout
from constructions.core.matrix import Matrix, Tensor
from constructions.core.transformer import Attention, Bilinear, Head, Layer, Mask, Transformer, run
from constructions.theorem3 import form

PLACES = Layout(zero=1, place=1, square=1, one=1, past=1, future=1)
STATES = Layout(mean=1, place=1, one=1)
BITS = 128


def value_matrix(**read: str) -> Matrix:
    """W_V: which coordinate of a token goes to which coordinate of `STATES`."""
    return form(PLACES, [{read[name]: 1} if name in read else {} for name in STATES])


def own_head() -> Head[Matrix]:
    """Hard attention with scores 2 p_i p_j - p_j²: each position attends to itself."""
    query, key = (
        form(PLACES, [{"place": 2}, {"one": -1}]),
        form(PLACES, [{"place": 1}, {"square": 1}]),
    )
    return Head(
        query, key, value_matrix(place="place", one="one"), Attention.HARD, name="own position"
    )


def masked_head() -> Head[Matrix]:
    """Equal scores under a causal mask: the average over the past."""
    nothing = form(PLACES, [])
    return Head(
        nothing, nothing, value_matrix(mean="zero"), Attention.SATURATED, Mask.CAUSAL, "past"
    )


def unmasked_head() -> Head[Matrix]:
    """Soft attention with scores -K^(2p_j) K^(-2p_i - 1): nearly the average over the past."""
    query, key = form(PLACES, [{"future": -1}]), form(PLACES, [{"past": 1}])
    return Head(query, key, value_matrix(mean="zero"), Attention.SOFT, Mask.NONE, "past")


def times_place() -> Bilinear[Matrix]:
    """(mean · place, one · one): the count and the constant."""
    same = Matrix.identity(STATES.size)
    ones = {
        (STATES.at("mean"), STATES.at("place"), 0): 1,
        (STATES.at("one"), STATES.at("one"), 1): 1,
    }
    return Bilinear(same, same, Tensor((STATES.size, STATES.size, 2), ones), Matrix.identity(2))


def one_layer(past: Head[Matrix]) -> Transformer[Matrix]:
    """A transformer of depth one that counts zeros."""
    parts = Layout(past=STATES.size, own=STATES.size)
    one = Matrix.identity(STATES.size)
    combine = Matrix.blocks(parts, STATES.size, {("past", ""): one, ("own", ""): one})
    layer = Layer((past, own_head()), combine, times_place())
    return Transformer((layer,), Matrix.identity(2))


def tokens(word: Sequence[str], base: int = 1) -> list[list[Fraction | int]]:
    """A begin mark and the letters: (z, p, p², 1, K^(2p), K^(-2p-1))."""
    zeros = [0, *(int(letter == "0") for letter in word)]
    return [
        [z, p, p * p, 1, base ** (2 * p), Fraction(1, base ** (2 * p + 1))]
        for p, z in enumerate(zeros, start=1)
    ]


def exact_states(word: Sequence[str], model: Transformer[Matrix]) -> list[tuple[Fraction, ...]]:
    """The states that the masked transformer returns, as rationals."""
    rows = run(model, Rational(), tokens(word))
    return [tuple(Fraction(str(x)) for x in row) for row in rows]


def first_mismatch(model: Transformer[Matrix], longest: int) -> tuple[str, ...] | None:
    """A word of length ≤ `longest` on which the model differs from the automaton, if any."""
    automaton = counting()
    for length in range(longest + 1):
        for word in product("01", repeat=length):
            if exact_states(word, model) != automaton.states(word):
                return word
    return None


def rounding_errors(length: int, bits: int) -> list[Fraction]:
    """The mean squared error of the count at each position, over all words, in `bits` ≤ 53 bits.

    The average adds up equal shares, and a letter that is not counted adds 0, so that the rounded
    count depends on how many zeros came before and not on where: 0…01…1 represents all such words.
    """
    arithmetic = Multiprecision.of_bits(bits)
    model = one_layer(masked_head())
    total = [Fraction(0)] * (length + 1)
    for ones in range(length):  # a count of no zeros is exact
        zeros = length - ones
        rows = run(model, arithmetic, tokens("0" * zeros + "1" * ones))
        for t in range(zeros, length + 1):
            count = Fraction(float(rows[t][0]))  # exact: float64 has more bits
            total[t] += comb(t, zeros) * (count - zeros) ** 2
    return [squares / 2**t for t, squares in enumerate(total)][1:]


def layer_output(t: Any, average: Any) -> Any:
    """The layer's output for the average over begin mark and t letters: (place · average, 1)."""
    return sympy.Matrix([[(t + 1) * average, 1]])


def induction(layer: Callable[[Any, Any], Any] = layer_output) -> tuple[bool, bool]:
    """Base and step of: on t letters the layer returns the automaton's state, for all t."""
    t, c, z = sympy.symbols("t c z")
    automaton = counting()
    base = layer(sympy.Integer(0), sympy.Integer(0)) == sympy.Matrix([automaton.alpha])
    weights = {"0": 1, "1": 0}
    step = all(
        automaton.matrix(letter) == ((1, 0), (weight, 1)) for letter, weight in weights.items()
    )
    now = c / (t + 1)
    later = ((t + 1) * now + z) / (t + 2)
    reached = sympy.Matrix([[c, 1]]) * sympy.Matrix([[1, 0], [z, 1]])
    same = sympy.simplify(layer(t, now) - sympy.Matrix([[c, 1]])) == sympy.zeros(1, 2)
    goes_on = sympy.simplify(layer(t + 1, later) - reached) == sympy.zeros(1, 2)
    return bool(base), bool(step and same and goes_on)


def bound(length: int, base: int) -> Fraction:
    """3 (T + 1) / (K - 1), the error allowed to the unmasked transformer."""
    return Fraction(3 * (length + 1), base - 1)


def soft_excess(word: Sequence[str], base: int) -> bool | None:
    """Return whether some count is further off than the bound; None if the balls do not decide."""
    limit = bound(len(word), base)
    states = counting().states(word)
    with Balls(BITS) as balls:
        rows = run(one_layer(unmasked_head()), balls, tokens(word, base))
        gaps = [abs(row[0] - int(state[0])) for row, state in zip(rows, states, strict=True)]
        allowed = ball(limit)
        if all(gap <= allowed for gap in gaps):
            return False
        return True if any(gap > allowed for gap in gaps) else None


def inequalities() -> bool:
    """The error bound for all T, in two rational inequalities in K ≥ 2, n = T + 1 and 0 ≤ c ≤ n.

    With e^(1/K) ≤ K/(K-1) and e^(-K) ≤ 1/(K+1), the soft count lies between
    c (1 - 1/K) (1 - n/((K+1) p)) and (c + n/(K+1)) K/(K-1), where c ≤ p ≤ n. In the code n
    is n - c ≥ 0 and k is K - 2 ≥ 0, so that coefficients ≥ 0 decide.
    """
    k, n, c = sympy.symbols("k n c")
    base = k + 2
    allowed = 3 * (n + c) / (base - 1)
    above = (c + (n + c) / (base + 1)) * base / (base - 1) - c
    below = c - c * (1 - 1 / base) + (n + c) / (base + 1)
    return all(_nonnegative(allowed - gap, (k, n, c)) for gap in (above, below))


def _nonnegative(expression: Any, symbols: Iterable[Any]) -> bool:
    """Return whether a fraction of polynomials with a positive denominator has coefficients ≥ 0."""
    top, bottom = sympy.fraction(sympy.together(expression))
    parts = [sympy.Poly(part, *symbols).coeffs() for part in (top, bottom)]
    return all(coefficient >= 0 for coefficients in parts for coefficient in coefficients)


def counts_always(automaton: WFA, counted: int) -> bool:
    """Return whether α is (0, …, 0, 1) and every A^i adds e_i to a state whose last entry is one."""
    c = sympy.symbols(f"c0:{counted}")
    state = sympy.Matrix([[*c, 1]])
    for symbol in automaton.alphabet:
        wanted = [x + int(int(symbol) == i) for i, x in enumerate(c)]
        if state * sympy.Matrix(automaton.matrix(symbol)) != sympy.Matrix([[*wanted, 1]]):
            return False
    return automaton.alpha == (*[0] * counted, 1)
