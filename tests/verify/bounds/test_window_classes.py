"""Classes of words enclose what they are merged from."""

import flint
import pytest

from constructions.automata.wfa import WFA
from verify.bounds import window_classes
from verify.bounds.window_classes import (
    CommonErrors,
    WindowClass,
    distinct,
    fewer,
    merged,
    merged_errors,
    pattern,
)


def of(matrix, error, scratch=0):
    return WindowClass(*(flint.arb_mat(rows) for rows in (matrix, [[error, 0], [0, error]],
                                                          [[scratch, 0], [0, 0]])))  # fmt: skip


CLASSES = [of([[k, 1], [0, -k]], 10 - k, k) for k in range(1, 6)]


def covers(large, small):
    """Return whether a class holds for all words of another."""
    inside = zip(large.matrix.entries(), small.matrix.entries(), strict=True)
    above = [*zip(large.error.entries(), small.error.entries(), strict=True),
             *zip(large.scratch.entries(), small.scratch.entries(), strict=True)]  # fmt: skip
    return all(a.contains(b) for a, b in inside) and all(a >= b for a, b in above)


def test_a_merged_class_holds_for_the_words_of_both():
    both = merged(CLASSES[:2])
    assert covers(both, CLASSES[0]) and covers(both, CLASSES[1]) and not covers(CLASSES[0], both)
    assert both.product[1, 1] >= 2 and both.distance[1, 1] >= 3


@pytest.mark.parametrize("count", [1, 2, 3, 5, 9])
def test_fewer_classes_still_hold_for_all_words(count):
    few = fewer(CLASSES, count)
    assert len(few) == min(count, len(CLASSES))
    assert all(any(covers(large, small) for large in few) for small in CLASSES)
    assert count == 1 or any(each is CLASSES[-1] for each in few)


def test_equal_products_are_one_class_with_the_larger_error():
    one, two = of([[1, 0], [0, 1]], 1), of([[1, 0], [0, 1]], 2)
    (only,) = distinct([one, two])
    assert only.error[0, 0] == 2 and only.matrix == one.matrix
    assert len(distinct([one, of([[1, 0], [0, 2]], 1)])) == 2


def test_a_pattern_has_the_products_of_entries():
    """1 → 2 → 3 makes 1 → 3, and the third state keeps its weight 1."""
    chain = WFA.of([1, 0, 0], {"a": [[1, 1, 0], [0, 1, 0], [0, 0, 1]],
                               "b": [[1, 0, 0], [0, "1/2", 1], [0, 0, 1]]}, [0, 0, 1])  # fmt: skip
    assert pattern(chain).tolist() == [[0, 1, 1], [0, 1, 1], [0, 0, 0]]


def test_common_errors_of_a_merged_class_hold_for_the_tokens_of_both():
    def errors(p, r, error, rest):
        return CommonErrors(*(flint.arb_mat([[value]]) for value in (p, r, error, rest)))

    one, two = errors(-3, 2, 5, 1), errors(4, -1, 2, 7)
    found = merged_errors([one, two])
    for part in (one, two):
        assert found.window[0, 0].contains(part.window[0, 0])
        assert found.scratch[0, 0].contains(part.scratch[0, 0])
    assert (found.error[0, 0], found.rest[0, 0]) == (5, 7)
    assert not found.window[0, 0].contains(6)
    assert merged_errors([one, None]) is None


def test_as_many_classes_as_allowed_stay_as_they_are():
    assert fewer(CLASSES, 5) is CLASSES and merged(CLASSES[:1]) is CLASSES[0]
    few = fewer(CLASSES, 3)
    assert few[0] is CLASSES[4] and few[1] is CLASSES[3]
    assert few[2].error[0, 0] == 9 and few[2].scratch[0, 0] == 3


def test_products_and_distances_are_the_largest_sizes_of_their_entries():
    """Entries within 1/4 of -1/2, 0, 2 and 3: |x| and |x - 1| on the diagonal."""
    quarter = flint.arb(0, "0.25")
    hazy = flint.arb_mat([[flint.arb("-0.5") + quarter, quarter], [2 + quarter, 3 + quarter]])
    own = WindowClass(hazy, hazy, hazy)
    for found, wanted in (
        (own.product, (0.75, 0.25, 2.25, 3.25)),
        (own.distance, (1.75, 0.25, 2.25, 2.25)),
    ):
        assert [float(x) for x in found.entries()] == pytest.approx(wanted, rel=1e-6)
        assert all(x >= flint.arb(w) for x, w in zip(found.entries(), wanted, strict=True))
    assert own.size == pytest.approx((0.75**2 + 0.25**2 + 2.25**2 + 3.25**2) ** 0.5, rel=1e-6)


def test_the_least_and_the_most_of_matrices_are_taken_entry_by_entry():
    one, two = flint.arb_mat([[1, 5]]), flint.arb_mat([[3, 2]])
    assert window_classes.least(one, two).tolist() == [[1, 2]]
    assert window_classes.most(one, two).tolist() == [[3, 5]]
    high = window_classes.rounded_up(flint.arb_mat([[flint.arb(1, 1)]]))[0, 0]
    assert high.is_exact() and 2 <= high < flint.arb("2.001")
