"""`assay export`: the C it takes is the one `assay automaton` shows, and what it refuses."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
import torch

from constructions.automata.families import counting
from constructions.automata.trees import relabelled_tree, shapes, tokens
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.exports.loader import FolderModel, load_model
from constructions.exports.order import Order
from constructions.files.reader import to_json
from verify.automaton.export import make
from verify.automaton.sampling import measure
from verify.cli import main

EXACT = ("--feedforward", "exact")
SMALL = WTA.of(
    [1, 0],
    [[["1/2", "1/4"], ["1/4", 0]], [[0, "1/5"], [0, "1/2"]]],
    {"a": [1, 1], "b": ["1/3", 1]},
)


def ordered(folder: Path, automaton: WFA | WTA, *arguments: str) -> int:
    path = folder / "automaton.json"
    path.write_text(to_json(automaton), encoding="utf-8")
    return main(["export", str(path), "--out", str(folder / "model"), "--force", *arguments])


def described(folder: Path) -> dict[str, object]:
    body: dict[str, object] = json.loads((folder / "model" / "model.json").read_text())
    return body


@pytest.mark.parametrize("eps", [None, "1e-3"])
def test_soft_takes_the_constants_that_verify_automaton_shows(
    eps: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [] if eps is None else ["--eps", eps]
    for more, names in (
        ((), ("saturating constant C, with MLPs", "step of the MLPs")),
        (("--feedforward", "exact"), ("saturating constant C",)),
    ):
        order = ("--length", "4", "--construction", "soft", *asked, *more)
        assert ordered(tmp_path, counting(), *order) == 0
        written = capsys.readouterr().out
        assert f"C (saturation) = {described(tmp_path)['saturation']}" in written
        main(["automaton", str(tmp_path / "automaton.json"), "--length", "4", "--json", *asked])
        rows = {q["name"]: q["value"] for q in json.loads(capsys.readouterr().out)["quantities"]}
        body = described(tmp_path)
        step = f"h (step) = 2^-{body['fineness']}"
        assert (step in written) is not bool(more)
        assert ("exact products" if more else "4 gelu units a product") in written
        found = [body["saturation"], f"2^-{body['fineness']}"][: len(names)]
        assert found == [rows[name] for name in names]
        assert body["feedforward"] == ("exact" if more else "mlp")


def test_the_model_of_theorem_two_has_mlps_and_keeps_its_error_on_every_word(
    tmp_path: Path,
) -> None:
    order = ("--length", "4", "--construction", "soft", "--eps", "1e-3")
    assert ordered(tmp_path, counting(), *order) == 0
    model = load_model(tmp_path / "model")
    assert model.module.transformer.layers[0].feedforward.hidden.shape == (10, 32)
    with torch.no_grad():
        for word in counting().words(4):
            truth = torch.tensor([[float(w) for w in s] for s in counting().states(word)])
            assert 0 < float(torch.linalg.norm(model.states([word])[0] - truth)) <= 1e-3


def test_a_type_too_short_for_the_step_is_said_aloud(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mlp = ("--construction", "tree", "--attention", "soft", "--feedforward", "mlp")
    assert ordered(tmp_path, SMALL, "--length", "10", *mlp, "--dtype", "float32") == 1
    said = capsys.readouterr().out
    assert "larger than eps = 1e-06; use --dtype float64" in said
    assert described(tmp_path)["measured_on"].startswith("trees of 10 tokens, the worst is ")
    assert ordered(tmp_path, counting(), "--length", "8", "--attention", "soft") == 0
    assert "WARNING" not in capsys.readouterr().out


def test_the_sample_is_compared_position_by_position(monkeypatch: pytest.MonkeyPatch) -> None:
    """States of subtrees come in the order of I_t; the definition finds them from the leaves up."""
    model, _ = make(SMALL, Order(13, "tree"))
    assert measure(model).error < 1e-12
    definition = WTA.states

    def moved(self: WTA, tree: object) -> dict[int, object]:
        found = definition(self, tree)
        return dict(zip(found, reversed(found.values()), strict=True))

    monkeypatch.setattr(WTA, "states", moved)
    assert measure(model).error > 0.1


@pytest.mark.parametrize(
    ("automaton", "arguments", "construction", "feedforward"),
    [
        (counting(), "--attention soft --feedforward mlp", "soft", "mlp"),
        (counting(), "--attention soft", "soft", "mlp"),
        (counting(), "--feedforward exact", "soft", "exact"),
        (counting(), "--attention hard", "exact", "exact"),
        (SMALL, "--attention soft --feedforward mlp", "tree", "mlp"),
        (SMALL, "--attention soft --construction logdepth", "logdepth", "mlp"),
        (SMALL, "--attention soft --feedforward exact", "tree", "exact"),
        (SMALL, "--attention hard", "tree", "exact"),
    ],
)
def test_mlps_are_the_default_of_soft_attention_and_the_description_says_which(
    automaton: WFA | WTA,
    arguments: str,
    construction: str,
    feedforward: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ordered(tmp_path, automaton, "--length", "7", *arguments.split()) == 0
    body, said = described(tmp_path), capsys.readouterr().out
    assert (body["construction"], body["feedforward"]) == (construction, feedforward)
    mlps = feedforward == "mlp"
    assert body["levels"] == ((1 if isinstance(automaton, WFA) else 3) if mlps else None)
    assert body["activation"] == ("gelu" if mlps else None)
    assert ("gelu units a product" if mlps else "exact products") in said


def test_a_folder_that_is_there_is_kept_without_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ordered(tmp_path, counting(), "--length", "4", "--construction", "exact") == 0
    before = (tmp_path / "model" / "model.json").read_bytes()
    path, out = str(tmp_path / "automaton.json"), str(tmp_path / "model")
    for name in ("exact", "decoder"):
        asked = ["export", path, "--length", "8", "--construction", name, "--out", out]
        assert main(asked) == 4
    assert "--force" in capsys.readouterr().err
    assert (tmp_path / "model" / "model.json").read_bytes() == before


def test_a_constant_that_is_given_is_taken(tmp_path: Path) -> None:
    arguments = ("--length", "4", "--construction", "soft", "--saturation", "25/2", *EXACT)
    assert ordered(tmp_path, counting(), *arguments) == 0
    assert described(tmp_path)["saturation"] == "25/2"


def furthest(model: FolderModel) -> float:
    """The largest error of an entry of a state, over all shapes with at most four leaves."""
    seen = 0.0
    for shape in (shape for leaves in (1, 2, 3, 4) for shape in shapes(leaves)):
        string = tokens(relabelled_tree(shape, ["a", "b", "b", "a"]))
        with torch.no_grad():
            (states,) = model.states([string])
        for i, state in SMALL.states(string).items():
            found = states[i].tolist()
            seen = max(seen, *(abs(x - float(w)) for x, w in zip(found, state, strict=True)))
    return seen


@pytest.mark.parametrize("name", ["tree", "logdepth"])
def test_a_soft_tree_model_keeps_every_state_of_every_tree_within_eps(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    soft = ("--length", "10", "--construction", name, "--attention", "soft")
    assert ordered(tmp_path, SMALL, *soft, "--eps", "1/1000") == 0
    model, body = load_model(tmp_path / "model"), described(tmp_path)
    assert 0 < furthest(model) <= 1e-3
    assert body["attention"] == "soft"
    capsys.readouterr()
    asked = ("--length", "10", "--eps", "1/1000", "--json")
    main(["automaton", str(tmp_path / "automaton.json"), *asked])
    figures = json.loads(capsys.readouterr().out)["quantities"]
    (shown,) = [f["value"] for f in figures if f["name"] == f"saturating constant C, {name} model"]
    assert body["saturation"] == shown


@pytest.mark.parametrize("name", ["tree", "logdepth"])
def test_a_constant_a_quarter_as_large_does_not_keep_them(name: str, tmp_path: Path) -> None:
    order = Order(10, name, attention="soft", feedforward="exact", eps="1/1000")
    constant = (make(SMALL, order)[0].constants.saturation or Fraction(0)) / 4
    soft = ("--length", "10", "--construction", name, "--attention", "soft")
    assert ordered(tmp_path, SMALL, *soft, "--saturation", str(constant), *EXACT) == 0
    assert furthest(load_model(tmp_path / "model")) > 1e-3


@pytest.mark.parametrize(
    ("automaton", "arguments", "culprit"),
    [
        (counting(), "--length 4 --construction tree", "decoder, exact or soft, for words"),
        (counting(), "--length 4 --construction exact --eps 1e-3", "--eps: applies only to"),
        (counting(), "--length 4 --construction exact --saturation 5", "--saturation"),
        (counting(), "--length 4 --eps 0", "--eps: found 0, expected a number > 0"),
        (SMALL, "--length 4 --format gpt2", "for trees"),
        (SMALL, "--length 8 --construction decoder --minimise", "--minimise"),
        (counting(), "--length 8 --construction decoder --attention soft", "--attention"),
        (counting(), "--length 8 --construction decoder --dtype bfloat16", "--dtype"),
        (counting(), "--length 8 --construction exact --format gpt2", "--format"),
        (SMALL, "--length 16000 --construction tree --attention soft", "not computed"),
        (counting(), f"--length 1{'0' * 20} --construction exact", "expected at most 16384"),
        (counting(), f"--length 1{'0' * 20}", "expected at most 16384, or --large"),
        (SMALL, f"--length 1{'0' * 20}", "expected at most 16384"),
        (counting(), "--length 4097 --construction soft", "found 4097, expected at most 4096"),
    ],
)
def test_what_does_not_fit_together_is_one_clear_line(
    automaton: WFA | WTA,
    arguments: str,
    culprit: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ordered(tmp_path, automaton, *arguments.split()) == 4
    said = capsys.readouterr().err
    assert culprit in said
    assert said.count("\n") == 1
    assert not (tmp_path / "model").exists()
