"""nnsight on an exported folder: what it traces in the stream is what the construction holds there.

Run by `tox run -e interop-newest`; skipped where a library is missing.
"""

import json

import pytest

torch = pytest.importorskip("torch")
nnsight = pytest.importorskip("nnsight")
transformers = pytest.importorskip("transformers")

import assay  # noqa: E402

WORD = "abbaababbab"
HMM = assay.WFA.from_hmm(
    ["1/2", "1/2"], [["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "2/3"], ["1/2", "1/2"]], "ab"
)


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def traced(request, tmp_path_factory):
    """A folder, its blocks under nnsight, and its tokens for the word."""
    folder = tmp_path_factory.mktemp(request.param)
    assay.export(HMM, assay.Order(16, format=request.param), folder)
    loaded = transformers.AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float64, attn_implementation="eager"
    )
    tokens = torch.tensor([[2, *("ab".index(letter) for letter in WORD)]])
    model = nnsight.NNsight(loaded)
    return folder, model, {"gpt2": "transformer.h", "llama": "model.layers"}[request.param], tokens


def block(model, path, layer):
    part = model
    for name in path.split("."):
        part = getattr(part, name)
    return part[layer]


def stream_of(output):
    """The residual stream, whether a block returns it alone or first of a tuple."""
    return output[0] if isinstance(output, tuple) else output


def windows(folder, stream):
    """A^w of every position, from the coordinates that model.json names."""
    note = json.loads((folder / "model.json").read_text())
    first, end = note["coordinates"]["window"]
    n = note["states_in_the_model"]
    rows = stream.reshape(-1, stream.shape[-1])[:, first:end].double()
    return rows.reshape(-1, n, n) + torch.eye(n, dtype=torch.float64)


def window_error(folder):
    """A state's certified error is at least ‖α‖ times that of the matrix it is read from."""
    note = json.loads((folder / "model.json").read_text())
    assert note["matrices"] == "automaton.json", (
        "the stream holds these matrices, in no other coordinates"
    )
    size = sum(float(a) ** 2 for a in HMM.alpha) ** 0.5
    return HMM.n**0.5 * float(note["certified_error_with_rounding"]) / size  # ‖·‖_F ≤ √n ‖·‖


@pytest.mark.parametrize("layer", range(4))
def test_the_traced_stream_holds_the_product_of_the_last_letters(traced, layer):
    folder, model, path, tokens = traced
    with model.trace(tokens):
        output = nnsight.save(block(model, path, layer).output)
    found = windows(folder, stream_of(output))
    letters = {s: torch.tensor([[float(w) for w in row] for row in HMM.matrix(s)],
                               dtype=torch.float64) for s in "ab"}  # fmt: skip
    for t in range(len(WORD) + 1):
        product = torch.eye(HMM.n, dtype=torch.float64)
        for letter in WORD[max(0, t - 2 ** (layer + 1)) : t]:
            product = product @ letters[letter]
        off = float((found[t] - product).detach().norm())
        assert off <= window_error(folder), (layer, t)


def test_a_change_of_the_stream_changes_the_state_that_is_read(traced):
    folder, model, path, tokens = traced
    first, end = json.loads((folder / "model.json").read_text())["coordinates"]["window"]
    with torch.no_grad():
        before = model._module(tokens).logits[0, -1, :2].clone()
    with model.trace(tokens):
        changed = block(model, path, 3).output
        stream = changed[0] if isinstance(changed, tuple) else changed
        stream[..., -1, first:end] = 0  # the identity: nothing was read
        logits = nnsight.save(model.lm_head.output)
    state = logits.reshape(-1, logits.shape[-1])[-1, :2].double()
    assert float((before - state).detach().abs().max()) > 0.1
    start = torch.tensor([float(a) for a in HMM.alpha], dtype=torch.float64)
    error = json.loads((folder / "model.json").read_text())["certified_error_with_rounding"]
    assert float((state - start).detach().norm()) <= float(error)
