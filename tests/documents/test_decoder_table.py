"""The table of errors in docs/decoder.md is what today's certificates and runs give."""

from pathlib import Path

import pytest

from constructions.automata.named import automaton_by_name
from constructions.exports.order import Order
from verify.automaton.export import make
from verify.automaton.sampling import measure

PAGE = Path(__file__).resolve().parents[2] / "docs" / "decoder.md"
AUTOMATON, LENGTH = "hmm:3:7", 16
ORDERS = {
    "gated, float64": {"eps": "1e-6"},
    "gated, float64, small ε": {"eps": "1e-13"},
    "gated, float32": {"eps": "1e-5", "dtype": "float32"},
    "GPT-2, float64": {"eps": "1e-6", "format": "gpt2"},
    "GPT-2, three levels, float64": {"eps": "1e-9", "format": "gpt2", "levels": 3},
    "Llama, float64 weights": {"eps": "1e-6", "format": "llama"},
}


def constants(model):
    """C, h and K as the page writes them."""
    found = model.constants
    yield f"C = {float(found.saturation):g}"
    if found.fineness is not None:
        yield f"h = 2^-{found.fineness}"
    if found.large is not None:
        yield f"K = 2^{found.large.bit_length() - 1}"


def row(name):
    """A row of the table; what runs in a library of its own is not measured here."""
    asked = ORDERS[name]
    model, guarantee = make(automaton_by_name(AUTOMATON), Order(LENGTH, **asked))
    seen = measure(model).text if model.order.target.computes_in is None else "not measured"
    cells = (name, asked["eps"], ", ".join(constants(model)), guarantee.error,
             guarantee.rounded or "none", seen)  # fmt: skip
    return f"| {' | '.join(cells)} |"


LONG = {"gated, float64, small ε", "GPT-2, three levels, float64"}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n in LONG)) for n in ORDERS]
)
def test_a_row_of_the_table_is_what_is_certified_and_measured_today(name):
    text = PAGE.read_text("utf-8")
    assert f"`{AUTOMATON}`" in text and f"T = {LENGTH}" in text
    lines = [line for line in text.splitlines() if line.startswith(f"| {name} |")]
    assert [cell.strip() for cell in lines[0].split("|")[:-2]] == [
        cell.strip() for cell in row(name).split("|")[:-2]
    ]
    *_, printed, _ = lines[0].split("|")
    *_, found, _ = row(name).split("|")
    if "not" in printed:
        assert printed == found
    else:  # the last bits of exp differ between machines
        assert float(found) / 3 < float(printed) < 3 * float(found)
