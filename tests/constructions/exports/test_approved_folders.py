"""Descriptions, cards and refusals of folders, as they were approved, for every construction and format."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

from approved_support import agree_with_approved
from export_support import ADDER, NOTHING, model_of, normalised_model, written

from constructions.automata.named import automaton_by_name
from constructions.core.errors import InputError
from constructions.exports.built_model import Guarantee
from constructions.exports.card import card
from constructions.exports.folder import contents, description
from constructions.exports.formats import NAMES, format_of
from constructions.exports.loader import FIELDS, load_model
from constructions.exports.order import Order

APPROVED = Path(__file__).with_suffix(".json")
HMM = automaton_by_name("hmm:2:7")
MODELS = {
    **{name: (HMM, Order(5, format=name)) for name in NAMES if name != "olmo2"},
    **{f"{name}, trees": (ADDER, Order(7, format=name)) for name in NAMES if format_of(name).trees},
    "exact": (HMM, Order(5, "exact")),
    "soft": (HMM, Order(5, "soft", dtype="float32")),
    "soft, exact products": (HMM, Order(5, "soft", feedforward="exact", saturation=40)),
    "units": (HMM, Order(5, plain=True, levels=2, activation="gelu")),
    "minimised": (HMM, Order(5, minimise=True, eps="1e-3", relative="10")),
    "tree": (ADDER, Order(7, "tree", attention="soft")),
    "tree, hard": (ADDER, Order(7, "tree")),
    "logdepth": (ADDER, Order(7, "logdepth", attention="soft")),
}
GUARANTEES = {
    "rounded": Guarantee("in the Euclidean norm", "0.0004", "0.0005", "1e-9", "six words"),
    "rounded, unmeasured": Guarantee("of q", "0.0004", rounded="0.0005"),
    "exact": Guarantee("of q", "0.0004", measured="1e-9", sample="a word"),
    "none": Guarantee("of q", None, measured="1e-9", sample="a word"),
    "nothing": Guarantee("of q", None),
}


def model_by_name(name):
    return normalised_model(3) if name == "olmo2" else model_of(*MODELS[name])


@pytest.mark.parametrize("name", [*MODELS, "olmo2"])
def test_a_description_is_as_approved(name):
    body = description(model_by_name(name), NOTHING)
    del body["assay"], body["asked_error"]
    agree_with_approved(APPROVED, f"description: {name}", body)


@pytest.mark.parametrize("name", GUARANTEES)
def test_a_card_is_as_approved(name):
    for kind in ("safetensors", "soft"):
        body = {**description(model_by_name(kind), GUARANTEES[name]), "assay": "1.0"}
        agree_with_approved(APPROVED, f"card: {kind}, {name}", card(body, "pass\n").splitlines())


def refusal(folder, **options):
    try:
        load_model(folder, **options)
    except InputError as error:
        return str(error).replace(str(folder), "FOLDER")
    return "none"


def changes(note):
    """Each field that is read left out, of another type, and of another value."""
    for name in ("schema", "format", "files", *FIELDS):
        yield name, {key: value for key, value in note.items() if key != name}
        for value in (None, "x", -1, 3):
            yield f"{name} {value}", {**note, name: value}
    for name in ("layers", "outputs"):
        yield f"sizes.{name}", {**note, "sizes": {**note["sizes"], name: None}}


@pytest.mark.parametrize("kind", ["decoder", "soft"])
def test_a_folder_with_another_description_is_refused_as_approved(kind, tmp_path):
    folder = written(tmp_path, HMM, 2, construction=kind)
    note = json.loads((folder / "model.json").read_text())
    found = {}
    for name, changed in changes(note):
        (folder / "model.json").write_text(json.dumps(changed))
        text = refusal(folder).partition("sha256: found")[0]  # digests differ with the version
        found.setdefault(text, []).append(name)
    agree_with_approved(APPROVED, f"refusals: {kind}", found)


def test_a_folder_has_the_files_that_its_format_names():
    for name in ("safetensors", "npz", "gpt2", "soft", "minimised"):
        model = model_by_name(name)
        found = list(contents(model, NOTHING))
        agree_with_approved(APPROVED, f"files: {name}", found)
