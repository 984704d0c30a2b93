"""The soft model of the re-checker by hand: weights of a row, averages, products, norms, errors."""

from fractions import Fraction

import flint
import pytest

from verify.recheck.kernel import soft
from verify.recheck.kernel.fixed import fixed
from verify.recheck.kernel.soft import Model, exact_stages, spectral

ONE = 1 << 64


@pytest.fixture(autouse=True)
def digits():
    with flint.ctx.workprec(600):
        yield


def ball(value) -> flint.arb:
    value = Fraction(value)
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def encloses(found, value: flint.arb, width=Fraction(1, 1 << 60)) -> bool:
    """Return True if narrow bounds surround a value that is known far more exactly."""
    inside = ball(found[0]) <= value.upper() and ball(found[1]) >= value.lower()
    return bool(inside) and 0 <= found[1] - found[0] <= width


def row(saturation, size: int) -> list[flint.arb]:
    """The weights of a row as balls: exp(C cos(πm/M)), divided by their sum."""
    angles = [flint.fmpq(m, size) for m in range(2 * size)]
    powers = [(ball(saturation) * flint.arb.cos_pi_fmpq(a)).exp() for a in angles]
    return [power / sum(powers, flint.arb(0)) for power in powers]


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("saturation", [Fraction(0), Fraction(1, 3), Fraction(20), Fraction(300)])
def test_the_weights_of_a_row_are_those_of_a_softmax(saturation, size):
    found = soft.softmax(saturation, size, 256)
    for (low, high), wanted in zip(found, row(saturation, size), strict=True):
        assert encloses((Fraction(low, 1 << 256), Fraction(high, 1 << 256)), wanted)
        assert 0 <= high - low <= 16


def test_weights_below_the_last_bit_lie_between_nothing_and_one_unit():
    """exp(-2 · 40) is below 2^-64, exp(-40) is not; the sum is 1 up to that."""
    found = soft.softmax(Fraction(40), 2, 64)
    assert found[2] == (0, 1)
    assert 0 < found[1][0] == found[3][0] and found[0][0] + 4 * found[1][1] > 1 << 64


@pytest.mark.parametrize(("saturation", "size"), [(0, 2), (10, 1), (64, 2), (400, 8), (1600, 16)])
def test_the_leak_of_a_row_keeps_a_hundred_of_its_digits(saturation, size):
    model = Model(1, size, Fraction(saturation))
    low, high = model.leak
    wanted = 1 - row(saturation, size)[0]
    assert encloses((low, high), wanted, low / (1 << 100))
    assert model.bits % 64 == 0


# norms


@pytest.mark.parametrize(
    ("entries", "square"),
    [
        ((3, 4, 0, 5), 45),
        ((3, 0, 4, 5), 45),
        ((0, 7, 0, 0), 49),
        ((0, 0, -7, 0), 49),
        ((1, 2, -2, 1), 5),
        ((2, 0, 0, -3), 9),
        ((0, 0, 0, 0), 0),
    ],
)
def test_the_norm_of_a_matrix_is_its_larger_singular_value(entries, square):
    low, high = spectral([fixed(Fraction(x), 64) for x in entries])
    matrix = flint.arb_mat([[entries[0], entries[1]], [entries[2], entries[3]]])
    gram = matrix.transpose() * matrix
    spread = ((gram[0, 0] - gram[1, 1]) ** 2 + 4 * gram[0, 1] ** 2).sqrt()
    wanted = ((gram.trace() + spread) / 2).sqrt()
    assert encloses((Fraction(low, ONE), Fraction(high, ONE)), wanted, Fraction(8, ONE))
    assert abs(wanted**2 - square) < flint.arb(10) ** -60


def test_the_norm_of_an_interval_matrix_covers_its_corners():
    """Entries -1 … 2, 3 … 4, 0 and -1 … 1: the norm of every corner lies between the bounds."""
    wide = [(-1, 2), (3, 4), (0, 0), (-1, 1)]
    low, high = spectral([(a << 64, b << 64) for a, b in wide])
    for a in (-1, 0, 2):
        for b in (3, 4):
            for d in (-1, 0, 1):
                corner = spectral([fixed(Fraction(x), 64) for x in (a, b, 0, d)])
                assert low <= corner[1] and corner[0] <= high
    assert low > 2 * ONE and high < 6 * ONE


@pytest.mark.parametrize(("entry", "wanted"), [((2, 3), (2, 3)), ((-3, -2), (2, 3)),
                                               ((-1, 5), (0, 5)), ((-5, 1), (0, 5))])  # fmt: skip
def test_the_norm_of_a_number_is_its_absolute_value(entry, wanted):
    assert spectral([entry]) == wanted


# the pass


def test_pads_stand_before_and_after_the_letters():
    a, b, c = ((Fraction(v),) for v in (3, 5, 7))
    assert exact_stages((a, b, c))[0] == [(1,)] * 4 + [a, b, c, (1,)]


def test_one_letter_needs_no_layer_and_has_no_error():
    model = Model(1, 1, Fraction(3))
    assert list(model.layers([(Fraction(2),)])) == []
    assert model.state_error([Fraction(5)], [(Fraction(2),)])[0] == 0


def balls(model: Model, letters, saturation):
    """The pass once more with balls: exact and soft tokens, and each layer's differences."""
    weights, exact = (
        row(saturation, model.size),
        [ball(t[0]) for t in exact_stages(tuple(letters))[0]],
    )
    count, now, shift = 2 * model.size, list(exact), 1
    while shift < model.size:

        def mixed(tokens):
            return [sum((weights[m] * tokens[i - m] for m in range(count)), flint.arb(0))
                    for i in range(count)]  # fmt: skip

        soft_mix, alone = mixed(now), mixed(exact)
        attention = [abs(a - b) for a, b in zip(alone, exact, strict=True)]
        incoming = [abs(a - b) for a, b in zip(soft_mix, exact, strict=True)]
        norm = [abs(x) for x in exact]
        now = [soft_mix[i - shift] * soft_mix[i] for i in range(count)]
        exact = [exact[i - shift] * exact[i] for i in range(count)]
        errors = [a - b for a, b in zip(now, exact, strict=True)]
        tops = [max(map(float, part)) for part in (incoming, attention, norm)]
        yield errors, tops
        shift *= 2


@pytest.mark.parametrize("weights", [(2, 2, 2, 2), (-1, 3, Fraction(1, 2), -2), (0, 1, 5)])
def test_errors_of_every_layer_are_those_of_a_pass_with_balls(weights):
    model, letters = Model(1, 4, Fraction(6)), [(Fraction(w),) for w in weights]
    passes = list(balls(model, letters, 6))
    found = list(model.layers(letters))
    assert len(found) == len(passes) == 2
    for (layer, intervals), (errors, (incoming, attention, norm)) in zip(
        found, passes, strict=True
    ):
        one = 1 << model.bits
        for (pair,), error in zip(intervals, errors, strict=True):
            assert encloses((Fraction(pair[0], one), Fraction(pair[1], one)), error)
        assert float(layer.error[0]) == pytest.approx(max(abs(float(e)) for e in errors))
        assert float(layer.incoming[1]) == pytest.approx(incoming)
        assert float(layer.attention[1]) == pytest.approx(attention)
        assert float(layer.norm[1]) == norm == float(layer.norm[0])


def test_the_error_of_the_states_adds_the_squares_of_all_of_them():
    """T + 1 states αᵀE_t: the last pad before the word and one for each letter."""
    model, letters = Model(1, 4, Fraction(6)), [(Fraction(w),) for w in (2, -1, 3)]
    *_, (errors, _) = balls(model, letters, 6)
    total = sum((errors[i] ** 2 for i in range(3, 7)), flint.arb(0)).sqrt() * 5
    assert encloses(model.state_error([Fraction(-5)], letters), total)


def test_a_matrix_of_states_multiplies_as_its_blocks_do():
    """Diagonal letters: each entry of the diagonal runs as a word of numbers, the others stay 0."""
    words = [(2, 3, -1, 2), (1, -2, 3, 1)]
    double = Model(2, 4, Fraction(6))
    letters = [
        (Fraction(a), Fraction(0), Fraction(0), Fraction(b)) for a, b in zip(*words, strict=True)
    ]
    parts = [list(balls(double, [(Fraction(w),) for w in word], 6)) for word in words]
    one = 1 << double.bits
    for k, (_, intervals) in enumerate(double.layers(letters)):
        for place, token in enumerate(intervals):
            pairs = [(Fraction(low, one), Fraction(high, one)) for low, high in token]
            for entry, part in ((0, 0), (3, 1)):
                assert encloses(pairs[entry], parts[part][k][0][place])
            assert all(encloses(pairs[entry], flint.arb(0)) for entry in (1, 2))


def test_states_of_two_dimensions_read_a_row_of_the_errors():
    """α = (3, 4) and letters with both rows alike: the states' errors are 7 times those of a row."""
    model = Model(2, 2, Fraction(5))
    letters = [(Fraction(0), Fraction(2), Fraction(0), Fraction(3))] * 2
    *_, (_, errors) = model.layers(letters)
    one, total = 1 << model.bits, flint.arb(0)
    for token in errors[1:4]:
        a, b, c, d = (ball(Fraction(low + high, 2 * one)) for low, high in token)
        total += (3 * a + 4 * c) ** 2 + (3 * b + 4 * d) ** 2
    found = model.state_error([Fraction(3), Fraction(4)], letters)
    assert abs(total.sqrt() - ball(found[0])) < flint.arb(2) ** -60
