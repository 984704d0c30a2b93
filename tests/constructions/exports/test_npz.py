"""The format npz, all that a format needs to be tested: NumPy alone runs what was written."""

import io
import json
import os
import runpy
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import torch
from export_support import ADDER, NOTHING, counter, model_of, written

from constructions.automata.families import counting
from constructions.automata.named import automaton_by_name
from constructions.core.errors import InputError
from constructions.exports.folder import write
from constructions.exports.loader import load_model
from constructions.exports.npz import FORMAT, check_stored
from constructions.exports.order import Order

# With h = 2^-12 a product is off by h² = 2^-24 and a rounding of a unit by u/h² = 2^-29; a hundred each.
HMM = automaton_by_name("hmm:2:7")
TRUTH, ROUNDING = 100 * 2.0**-24, 100 * 2.0**-29


@pytest.mark.parametrize(
    ("plain", "sigma"),
    [(False, s) for s in FORMAT.gates] + [(True, s) for s in FORMAT.smooth],
)
def test_the_script_gives_the_states_with_every_activation(plain, sigma, tmp_path, capsys):
    folder = written(tmp_path, HMM, 6, format="npz", plain=plain, activation=sigma)
    model = runpy.run_path(str(folder / "load.py"))["model"]
    found = model(np.array([[2, 0, 1, 0, 0], [2, 1, 1, 1, 0]]))
    exact = [[[float(w) for w in s] for s in HMM.states(w)] for w in ("abaa", "bbba")]
    assert np.abs(found - np.array(exact)).max() < TRUTH
    assert "<bos>" in capsys.readouterr().out


@pytest.mark.parametrize("plain", [False, True], ids=["gated", "plain"])
def test_the_script_and_the_loaded_module_are_the_same_model_where_attention_is_soft(
    plain, tmp_path
):
    """With C = 3 many tokens share the attention, so that scores count as they are."""
    order = Order(6, format="npz", plain=plain)
    folder = write(model_of(HMM, order, saturation=3), NOTHING, tmp_path)
    found = runpy.run_path(str(folder / "load.py"))["model"](np.array([[2, 0, 1, 0, 0]]))[0]
    (states,) = load_model(folder).states(["abaa"])
    assert np.abs(states.detach().numpy() - found).max() < ROUNDING
    exact = [[float(w) for w in s] for s in HMM.states("abaa")]
    assert np.abs(found - np.array(exact)).max() > TRUTH


def test_the_script_needs_no_torch(tmp_path):
    folder = counter(tmp_path, 6, format="npz")
    script = f"import sys, runpy; sys.modules['torch'] = None; runpy.run_path({str(folder / 'load.py')!r})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("asked", [{"construction": "decoder"}, {"construction": "tree"}], ids=str)
def test_trees_and_the_papers_constructions_are_loaded_too(asked, tmp_path):
    model = load_model(written(tmp_path, ADDER, 10, format="npz", **asked))
    assert model.weight(["[a [b a]]", "b"]).tolist() == pytest.approx([7, 5], abs=1e-6)


def test_the_same_model_is_the_same_bytes_and_a_changed_one_is_refused(tmp_path):
    one, two = (FORMAT.write(model_of(counting(), Order(4, format="npz"))) for _ in range(2))
    assert one == two
    folder = counter(tmp_path, 4, format="npz")
    weights = dict(np.load(folder / "model.npz"))
    np.savez(folder / "model.npz", **{**weights, "embed.W_E": 2 * weights["embed.W_E"]})
    with pytest.raises(InputError, match="as exported"):
        load_model(folder)
    assert load_model(folder, changed=True).weight(["00"]).item() != pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04nothing", b"\x80\x04N.", b"\x93NUMPY\x01"])
def test_a_file_that_is_no_archive_is_one_line(content, tmp_path):
    folder = counter(tmp_path, 4, format="npz")
    (folder / "model.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"expected an uncompressed file of numpy\.savez"):
        load_model(folder, changed=True)


def test_bfloat16_is_refused_and_float32_is_written(tmp_path):
    with pytest.raises(InputError, match="float64 or float32, for format=npz"):
        model_of(counting(), Order(4, "exact", format="npz", dtype="bfloat16"))
    folder = counter(tmp_path, 4, format="npz", dtype="float32")
    assert {a.dtype for a in np.load(folder / "model.npz").values()} == {np.dtype("float32")}
    assert load_model(folder).states(["01"])[0].dtype == torch.float32


def zipped(member: bytes, packed: bool) -> bytes:
    """An archive with one array of these bytes; a packed one is damaged where it is packed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(
        buffer, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    ) as file:
        file.writestr("w.npy", member)
    content = bytearray(buffer.getvalue())
    if packed:
        begin = content.index(b"w.npy") + 5
        content[begin : begin + 2] = b"\xff\xff"
    return bytes(content)


HEADER = b"{'descr': (), 'fortran_order': False, 'shape': (1,), }\n"
NUMPY = b"\x93NUMPY\x01\x00" + len(HEADER).to_bytes(2, "little") + HEADER


@pytest.mark.parametrize("packed", [False, True])
def test_an_array_that_cannot_be_read_is_one_line(packed, tmp_path):
    """A type that is an empty tuple is an IndexError of NumPy, damaged packing an error of zlib."""
    folder = counter(tmp_path, 4, format="npz")
    (folder / "model.npz").write_bytes(zipped(NUMPY, packed))
    with pytest.raises(
        InputError, match="weights: found no archive of arrays, expected an uncompressed"
    ):
        load_model(folder, changed=True)


def test_arrays_larger_than_their_file_are_refused_before_memory_is_taken(tmp_path):
    """6 MB of packed zeros would be an array of 6.4 GB; so would a header that promises it."""
    folder = counter(tmp_path, 4, format="npz")
    shape = b"{'descr': '<f8', 'fortran_order': False, 'shape': (800000000,), }\n"
    header = b"\x93NUMPY\x01\x00" + len(shape).to_bytes(2, "little") + shape
    for packing in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(folder / "model.npz", "w", packing) as file:
            file.writestr("embed.W_E.npy", header + bytes(1 << 20))
        with pytest.raises(InputError, match="weights: found no archive of arrays"):
            load_model(folder, changed=True)
        with pytest.raises(ValueError, match=r"larger than its file|compressed"):
            check_stored((folder / "model.npz").read_bytes())


CHANGES = {
    "no arrays": lambda weights: {},
    "a name less": lambda weights: {n: w for n, w in weights.items() if n != "unembed.W_U"},
    "a name more": lambda weights: {**weights, "more": weights["unembed.b_U"]},
    "another shape": lambda weights: {**weights, "unembed.b_U": np.zeros(7)},
    "no shape": lambda weights: {**weights, "embed.W_E": np.zeros(())},
}


@pytest.mark.parametrize("change", CHANGES)
def test_weights_of_other_names_or_shapes_are_one_line(change, tmp_path):
    folder = counter(tmp_path, 4, format="npz")
    weights = CHANGES[change](dict(np.load(folder / "model.npz")))
    np.savez(folder / "model.npz", **weights)
    with pytest.raises(InputError, match="weights: found"):
        load_model(folder, changed=True)


@pytest.mark.parametrize(
    "note",
    [{"tokens": ["0", "2", "<bos>"]}, {"tokens": [0, 1, 2]}, {"tokens": ["0", "1", "<bos>", "x"]},
     {"sizes": {"layers": 10**9, "outputs": 2}}, {"sizes": {"layers": 9, "outputs": 2}},
     {"sizes": {"layers": 2, "outputs": 10**9}}],
    ids=str,
)  # fmt: skip
def test_a_description_that_does_not_fit_the_weights_is_one_line(note, tmp_path):
    folder = counter(tmp_path, 4, format="npz")
    body = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**body, **note}))
    with pytest.raises(InputError, match="expected"):
        load_model(folder)


@pytest.mark.parametrize("name", ["model.npz", "model.json", "automaton.json"])
@pytest.mark.parametrize("kind", ["zero", "fifo"])
def test_a_file_that_never_ends_is_refused(name, kind, tmp_path):
    folder = counter(tmp_path, 4, format="npz")
    (folder / name).unlink()
    if kind == "zero":
        (folder / name).symlink_to("/dev/zero")
    else:
        os.mkfifo(folder / name)
    with pytest.raises(InputError, match="a regular file"):
        load_model(folder, changed=True)
