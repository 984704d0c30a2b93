"""The figure of error against C: every number of the data is drawn, whatever its size."""

import re
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports import contents, figures, small_multiples

PANEL = {
    "label": "weight 2", "states": 1, "norm": "2", "word": "aaaaaaaa",
    "C": ["100", "400", "1452"], "error": ["0.3", "4e-11", "7e-46"],
    "printed": ["0.03", "3e-12", "6e-47"], "corrected": ["0.9", "1e-10", "2e-45"],
    "mlps": [{"activation": "tanh", "eps": "1/1000000", "step": "1/4", "C": ["400", "1452"],
              "error": ["3e-8", "3e-8"], "mlp": ["2e-8", "2e-8"], "printed": ["2e-8", "2e-8"],
              "corrected": ["3e-8", "3e-8"], "proven": "5e-7"}],
}  # fmt: skip


def figure(*panels):
    return {"id": "errors", "title": "Error against C", "alt": "Lines that fall", "panels": panels}


def test_the_figure_gives_the_ratio_to_the_printed_bound():
    svg = figures.inline(figure(PANEL, {**PANEL, "label": "counting", "error": ["1e-9"] * 3}))
    for text in ("weight 2", "11.67 × Equation (1)", "a⁸", "n·10⁻⁶", "error / bound"):
        assert text in svg
    assert svg == figures.inline(
        figure(PANEL, {**PANEL, "label": "counting", "error": ["1e-9"] * 3})
    )
    assert svg.startswith("<svg ") and "<title" in svg and "#0a0b0c" not in svg


@given(st.decimals("1e-300", "1e6", allow_nan=False), st.decimals("1e-300", "1e6", allow_nan=False))
@settings(max_examples=40, deadline=None)
def test_the_factor_is_that_of_error_to_bound(error, bound):
    said = small_multiples.error_ratio({"error": [str(error)], "printed": [str(bound)]})
    assert said.startswith("within") == (error <= bound)
    ratio = Decimal(re.search(r"[\d.]+(E[-+]\d+)?", said.replace("(1)", "").replace("e", "E"))[0])
    assert abs(ratio - error / bound) <= Decimal("0.06") * (error / bound) + Decimal("0.5") * (
        error > bound
    )


@given(st.text("ab", min_size=1, max_size=24))
def test_a_word_as_powers_is_the_word(word):
    digits = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
    text = small_multiples.powers(word, 200).translate(digits)
    parts = re.findall(r"(?:\(([ab]+)\)|([ab]))(\d*)", text)
    assert "".join((group or one) * int(times or 1) for group, one, times in parts) == word


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_no_error_and_no_layer_are_drawn(kind):
    nothing = {key: ["0"] for key in ("error", "printed", "corrected")}
    empty = {key: [] for key in ("C", "error", "printed", "corrected")}
    for change in ({"C": ["5"], **nothing}, empty):
        assert figures.image(figure({**PANEL, **change, "mlps": []}), kind)


def test_the_contents_name_every_product():
    data = {"id": "x", "title": "t", "alt": "a", "length": 2, "positions": [-1, 0, 1, 2],
            "rows": [[[], [], [1], [2]], [[2], [], [1], [1, 2]]]}  # fmt: skip
    svg = contents.inline(data)
    assert svg.count(">A₁<") == 2 and svg.count(">A₁A₂<") == 1 and svg.count(">A₂<") == 2
    assert "after layer 1" in svg and "−1" in svg
    assert contents.product(range(1, 9)) == "A₁⋯A₈" and contents.product([]) == "I"
