"""What is compared, drawn and counted in a check and in a score, with stand-ins followed by hand."""

from fractions import Fraction
from random import Random
from types import SimpleNamespace as Part

import flint
import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from constructions.circuits.circuit import Subspace
from constructions.circuits.interventions import AblateFeature, AblateHead, Interchange
from constructions.circuits.normalised_machine import NormalisedTrace
from constructions.circuits.tree_circuit import TreeCircuit
from constructions.core.errors import InputError
from constructions.core.matrix import Matrix
from verify.circuits import check, references, score, tree_trials, trials
from verify.circuits.normalised_allowance import NormalisedAllowance
from verify.circuits.tree_trials import TreeDrawing
from verify.circuits.trials import Drawing, Trial

arb = flint.arb
ABOVE = 2**-50  # by this share a float is taken above its bound


# Comparisons


class Numbers(NormalisedAllowance):
    """Bounds of a normalised stream that are given."""

    def __init__(self, rows):
        object.__setattr__(self, "rows", rows)

    def numbers(self, hook):
        """The same at every hook."""
        return self.rows


def test_numbers_of_a_normalised_stream_may_be_off_by_their_bound_and_the_last_bit():
    allowed = Numbers({"x": [[(-8.0, arb(1)), (0.0, arb(2))]]})
    found = check.TrialRun.predicted_rows(Part(allowed=allowed), None)
    assert found == {"x": [[(-8.0, 1 + ABOVE + 8 * ABOVE), (0.0, 2 + 2 * ABOVE)]]}


def test_features_of_other_streams_may_be_off_by_sums_of_rounded_coordinates():
    """Three layers in float32: ten roundings of each coordinate, four of the feature."""
    allowed = Part(table=lambda hook, name, count, size: [[1.0] * size, [2.0] * size])
    library = Part(circuit=Part(constants={"computes_in": "float32"}, layers=3),
                   matrices={"x": (torch.tensor([[1.0], [-2.0]]), None)})  # fmt: skip
    run = Part(allowed=allowed, library=library,
               trace=Part(features=lambda hook: {"x": [(Fraction(0),), (Fraction(-5),)]}),
               reading=Part(streams={"hook": torch.tensor([[3.0, -4.0], [0.5, 0.0]])}))  # fmt: skip
    run.additive_rows = lambda hook, allowed: check.TrialRun.additive_rows(run, hook, allowed)
    found = check.TrialRun.predicted_rows(run, Part(name="hook"))
    unit = 2**-24
    assert found == {
        "x": [[(0.0, 1 + 10 * unit * 11)], [(-5.0, 2 + 10 * unit * 0.5 + 4 * unit * 5)]]
    }


def test_outputs_may_be_off_by_their_bound_and_the_last_bit(monkeypatch):
    monkeypatch.setattr(check, "predicted_output", lambda trace, t, c: -4.0 * t - c)
    run = Part(trace=Part(outputs=[(0,), (0, 0)]), trial=None,
               allowed=Part(outputs=[(arb(1),), (arb(2), arb(8))]),
               reading=Part(outputs=torch.tensor([[7.0, 8.0], [9.0, 10.0]])))  # fmt: skip
    found = list(check.TrialRun.outputs(run))
    assert [(one.place, one.position, one.model, one.prediction) for one in found] == [
        ("output 0", 0, 7, 0), ("output 0", 1, 9, -4), ("output 1", 1, 10, -5)]  # fmt: skip
    bounds = [1 + ABOVE, 2 + 2 * ABOVE + 4 * ABOVE, 8 + 8 * ABOVE + 5 * ABOVE]
    assert [one.allowed for one in found] == bounds


class Units:
    """g(x) = x + 10, with c = 1 and b = 3."""

    offset, slope = Fraction(1), Fraction(3)

    def __call__(self, x):
        assert flint.ctx.prec == 128
        return x + 10


class Scaled(NormalisedTrace):
    """A trace of a normalised stream with a factor of its last norm."""

    def __init__(self, **parts):
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    has_logits = True
    argument = staticmethod(lambda t, c: arb(0.5))
    linear = staticmethod(lambda t, c: arb(2))
    last_factor = staticmethod(lambda t: arb(8))


def test_a_logit_is_that_of_the_readout_with_what_its_units_have_written():
    """y = 8/4 as the readout sees it, and x = 2/4 as the units do."""
    readout = Part(logarithm=Units(), largest=Fraction(4))
    trace = Part(circuit=Part(readout=readout), has_logits=True,
                 outputs=[(), (Fraction(0), Fraction(8))],
                 arguments=[(), (Fraction(0), Fraction(2))])  # fmt: skip
    units = 0.5 + 10 - 1 - 3 * 0.5
    assert check.predicted_output(trace, 1, 1) == 1 + 3 * 2 + units
    assert check.predicted_output(Scaled(circuit=trace.circuit), 1, 1) == 8 * (7 + units)
    trace.has_logits = False
    assert check.predicted_output(trace, 1, 1) == 7
    for name in ("logarithm", "largest"):
        without = Part(circuit=Part(readout=Part(**{**vars(readout), name: None})), outputs=[(5,)])
        assert check.predicted_output(without, 0, 0) == 5


def test_a_check_draws_64_trials_by_the_seed_0_unless_it_is_told_otherwise(monkeypatch):
    monkeypatch.setattr(check, "load_circuit", lambda folder: "circuit")
    monkeypatch.setattr(check, "load_library", lambda folder, circuit, trusted: trusted)
    monkeypatch.setattr(check, "draw_trials", lambda *given: given)
    monkeypatch.setattr(check, "answer", lambda *given: given)
    assert check.check("model") == (False, ("circuit", 64, 0))
    assert check.check("model", 3, 5, True) == (True, ("circuit", 5, 3))


def test_norms_are_those_of_the_run_and_of_all_that_windows_are_taken_from(monkeypatch):
    monkeypatch.setattr(check, "run", lambda circuit, word: word)
    monkeypatch.setattr(check, "allowance", lambda circuit, runs, changes: runs)
    other, zero = Interchange(0, 1, ("b",), 1), AblateFeature(0, 1)
    for changes, sources in (((), []), ((AblateHead(0, 0),), []), ((zero,), [("a",)]),
                             ((other,), [("b",), ("a",)])):  # fmt: skip
        found = check.run_allowance(None, Trial(("a",), changes), "own")
        assert found == ["own", *sources]


def test_no_output_has_no_largest_deviation(monkeypatch):
    one = check.Comparison("state[0] at after", 0, 1.0, 1.5, 1.0, Trial((), ()))
    monkeypatch.setattr(check, "run_trial", lambda *_: Part(comparisons=lambda: [one]))
    found = check.answer(Part(name="assay"), [one.trial])
    assert (found.largest, found.largest_output) == (0.5, 0.0)
    monkeypatch.setattr(check, "run_trial", lambda *_: Part(comparisons=list))
    found = check.answer(Part(name="assay"), [one.trial])
    assert (found.largest, found.largest_output, found.worst) == (0.0, 0.0, None)


# Interchanges of a score


def interchanges(monkeypatch, size, lands=lambda: True):
    """A scorer whose outputs move by `size` where a window is exchanged; words have one and three letters."""
    monkeypatch.setattr(score, "folder_words", lambda *_: [("a",), ("a", "b", "a")])
    monkeypatch.setattr(score, "row_of", lambda trace, t: np.array([1.0 * t, -3.0 * t]))
    asked, landed = [], []

    def values(word, changes=()):
        asked.append((word, *changes))
        return Part(moved=size * len(word) * len(changes))

    own = Part(folder=None, circuit=Part(values=values, content="state"),
               visible=lambda trace, t: np.array([trace.moved, 0.0]),
               lands=lambda *given: landed.append(given) or lands())  # fmt: skip
    return score.Scorer.interchange(own, 5, np.eye(2)), asked, landed


def test_an_interchange_counts_if_it_moves_outputs_by_more_than_a_thousandth(monkeypatch):
    """Of the largest output of the word, which is 3 at its last position for each of its letters."""
    answers = iter([True, False, False, False] * 4)
    share, asked, landed = interchanges(monkeypatch, 0.0031, lambda: next(answers))
    assert share == 0.25 and len(landed) == 16 and len(asked) == 32
    share, asked, landed = interchanges(monkeypatch, 0.0029)
    assert np.isnan(share) and not landed and len(asked) == 2 * 8 * 16


def test_windows_are_exchanged_at_a_position_that_both_words_have(monkeypatch):
    _, asked, landed = interchanges(monkeypatch, 1.0)
    drawn = [(word, change) for word, change in (each for each in asked if len(each) == 2)]
    assert {change.layer for _, change in drawn} == {5}
    assert all(change.position == change.source for _, change in drawn)
    shortest = [min(len(word), len(change.word)) for word, change in drawn]
    positions = [change.position for _, change in drawn]
    assert all(1 <= t <= least for t, least in zip(positions, shortest, strict=True))
    assert {1, 3} <= set(positions) and {change.features for _, change in drawn} == {("state",)}
    assert [given[:4] for given in landed] == [(w, c.word, 5, c.position) for w, c in drawn]


@pytest.mark.parametrize(
    ("before", "after", "lands"),
    [([4, 2], [5, 2], True), ([4, 2], [6, 2], True), ([4, 2], [6.5, 2], False)],
)
def test_an_exchange_lands_within_half_of_what_it_should_move(before, after, lands):
    """The first coordinate of the source, 5, takes the place of the word's own."""
    stream, source = torch.tensor([[[0.0, 0], [1, 2]]]), torch.tensor([[9.0, 9], [5, 7]])

    def run(word, edits=()):
        if not edits:
            return Part(streams={"after 3": source.double()})
        ((site, layer, edit),) = edits
        assert (site, layer, word) == ("after", 3, ("a",))
        return Part(outputs=edit(stream)[0].double())

    own = Part(library=Part(hook_after=lambda layer: f"after {layer}", run=run),
               positions=lambda count, t: range(t, t + 1))  # fmt: skip
    basis = torch.tensor([[1.0], [0]], dtype=torch.float64)
    rows = (np.array(before, dtype=float), np.array(after, dtype=float))
    assert score.Scorer.lands(own, ("a",), ("b",), 3, 1, basis, rows) is lands


def test_truth_is_found_on_32_of_the_longest_words_by_the_seed_0(monkeypatch, tmp_path):
    drawn = []

    def drawing(circuit, random):
        drawn.append(random.getstate() == Random(0).getstate())
        return Part(word=lambda least: drawn.append(least) or ("a",))

    monkeypatch.setattr(score, "drawing_of", drawing)
    monkeypatch.setattr(score, "truth", lambda circuit, words: len(words))
    assert score.truth_of_folder(tmp_path, Part(length=9)) == 32
    assert drawn == [True] + [9] * 32


class Trees(TreeCircuit):
    """A tree circuit of which only the positions that its heads read are known."""

    def __init__(self):
        pass

    def positions(self, word):
        """Two heads, one of which reads BOS from the first two tokens."""
        return {"a": [(0,), (0,), (1,), (2,)], "b": [(0,), (1,), (2,), (3,)]}


def test_positions_that_are_read_count_but_for_the_begin(monkeypatch):
    monkeypatch.setattr(score, "folder_words", lambda *_: ["first", "second"])
    own = Part(folder=None, circuit=Trees())
    given = {"a": [[9, 9, 1, 9], [9, 9, 1]], "b": [[0, 1, 2, 3]]}
    found = score.Scorer.heads(own, given, {"a": "near", "b": "far"})
    assert found == [True, False, True, True, True, True, False, False, False, False]
    with pytest.raises(InputError, match="heads: found"):
        score.Scorer.heads(own, [1], {})


@pytest.mark.parametrize("read", [[1.0, 2.0], [[1.0]], [[[1.0]], [[2.0]]]])
def test_a_subspace_has_as_many_rows_as_the_stream_is_wide(read):
    spaces = {"window": Part(read=Matrix.dense([[1], [0]]))}
    own = Part(circuit=Part(subspaces=spaces))
    with pytest.raises(InputError, match=r"read: found shape .* expected 2 rows"):
        score.Scorer.feature(own, {"feature": "window", "hook": "hook", "read": read})


def test_directions_are_kept_beside_the_largest_however_small_it_is():
    tiny = 1e-12 * np.array([[1.0, 0], [0, 1e-3], [0, 0]])
    assert score.orthonormal(tiny).shape == (3, 2)
    assert score.orthonormal(tiny, 1e-2).shape == (3, 1)
    assert score.orthonormal(np.zeros((3, 0))).shape == (3, 0)


# Reference methods


def test_pairs_are_the_first_four_different_ones_of_32_that_are_drawn(monkeypatch):
    asked = []

    class InTurn:
        """Chooses one after the other."""

        def __init__(self, seed):
            assert seed == 0

        def choice(self, listed):
            asked.append(tuple(listed))
            return listed[len(asked) // 3 % len(listed)]

    words = [("a", "b"), ("c",), ("d", "e"), ("f", "g")]
    monkeypatch.setattr(references, "Random", InTurn)
    monkeypatch.setattr(references, "folder_words", lambda folder, circuit, part: words)
    own = Part(folder=None, library=Part(circuit=None))
    found = references.Reference.pairs(own)
    long = (words[0], words[2], words[3])
    assert asked == [long] * 64
    drawn = [(long[(2 * k + 1) // 3 % 3], long[(2 * k + 2) // 3 % 3]) for k in range(32)]
    assert found == [(a, b) for a, b in drawn if a != b][:4] and len(found) == 4


def patterns(*heads):
    """One layer whose heads look from each of four positions at one; what is ahead does not count."""
    rows = torch.zeros(len(heads), 4, 4)
    for head, looks in enumerate(heads):
        for t, at in enumerate(looks):
            rows[head, t, at] = 1
            rows[head, t, t + 1 :] = 9
    return [rows]


def test_a_head_reads_as_far_back_as_it_looks_most_often_without_the_begin():
    own = Part(library=Part(circuit=None, patterns=lambda word: patterns((0, 0, 1, 2), (0, 1, 1, 1),
                                                                         (0, 0, 0, 0), (0, 0, 2, 3))),
               pairs=lambda: [(("a",), ("b",))] * 2)  # fmt: skip
    assert references.Reference.heads(own) == {
        "heads": {"head 0.0": 1, "head 0.1": 0, "head 0.2": 0, "head 0.3": 0}}  # fmt: skip


def test_of_trees_every_position_is_listed_for_every_word(monkeypatch):
    monkeypatch.setattr(references, "folder_words", lambda folder, circuit: ["word", "other"])
    own = Part(
        folder=None, library=Part(circuit=None, patterns=lambda word: patterns((0, 1, 0, 2)))
    )
    assert references.Reference.positions(own) == {"head 0.0": [[0, 1, 0, 2], [0, 1, 0, 2]]}


# Draws


class Noted(Random):
    """Notes between which numbers it draws."""

    def randint(self, low, high):
        """The lower end."""
        self.asked = (low, high)
        return low


@pytest.mark.parametrize(
    ("least", "leaves"), [(0, 1), (1, 1), (2, 2), (4, 2), (5, 3), (8, 4), (9, 4), (99, 4)]
)
def test_a_tree_has_at_least_as_many_tokens_as_are_asked_for_if_they_fit(
    least, leaves, monkeypatch
):
    """L leaves are 3L - 2 tokens, and ten tokens hold four leaves."""
    monkeypatch.setattr(tree_trials, "random_tree", lambda leaves, letters, random: "a")
    random = Noted()
    TreeDrawing(Part(length=10, tokens=("[", "a", "]", "<bos>")), random).word(least)
    assert random.asked == (leaves, 4)


@pytest.mark.parametrize(("least", "low"), [(0, 1), (1, 1), (3, 3)])
def test_a_word_has_at_least_one_letter_and_as_many_as_are_asked_for(least, low):
    random = Noted()
    drawing = Drawing(Part(length=5, tokens=("a", "<bos>"), normalised=False), random)
    assert drawing.word(least) == ("a",) * low and random.asked == (low, 5)


@pytest.mark.parametrize(
    ("gap", "readable"), [(None, True), ("1", True), ("99/100", False), ("5", True)]
)
def test_hard_attention_predicts_where_scores_are_a_whole_number_apart(gap, readable):
    trace = Part(gap=None if gap is None else flint.fmpq(*map(int, f"{gap}/1".split("/")[:2])))
    drawing = TreeDrawing(Part(values=lambda word, changes: trace), Random(0))
    assert drawing.readable((), AblateHead(0, 0)) is readable


def test_a_change_that_cannot_be_predicted_is_tried_on_twelve_trees():
    made = []
    own = Part(circuit=Part(length=9), word=lambda least: ("a",) * least,
               readable=lambda word, change: change == 12)  # fmt: skip
    make = lambda word: made.append(word) or len(made)  # noqa: E731
    assert TreeDrawing.attempt(own, make) == (("a",) * 4, 12) and len(made) == 12
    assert TreeDrawing.attempt(own, lambda word: 0) is None


def drawn(number):
    """What draws a given number between 0 and 1, the upper end of a range and the last of many."""
    return Part(random=lambda: number, randrange=lambda size: size - 1, randint=lambda low, high: high,
                choice=lambda listed: listed[-1])  # fmt: skip


@pytest.mark.parametrize("number", [0, 0.24, 0.25, 0.49, 0.5, 0.99])
def test_of_trees_one_interchange_in_four_takes_all_and_one_ablation_in_two_an_entry(number):
    own = Part(random=drawn(number), circuit=Part(n=3), layer=lambda: 2, end=len,
               word=lambda least: ("a",) * (least + 4))  # fmt: skip
    features = tree_trials.NODE if number < 0.25 else ("state",)
    other = ("a",) * 5
    assert TreeDrawing.interchange(own, ("b",)) == Interchange(2, 1, other, 5, features)
    own.random.choice = lambda listed: "state"
    entry = 2 if number < 0.5 else None
    assert TreeDrawing.feature(own, ("b",)) == AblateFeature(2, 1, entry, "state")


@pytest.mark.parametrize(("number", "entry"), [(0, 1), (0.49, 1), (0.5, None), (0.99, None)])
def test_of_words_one_ablation_in_two_takes_an_entry_that_has_a_direction_of_its_own(number, entry):
    own = Part(random=drawn(number), layer=lambda: 2,
               circuit=Part(subspaces={"own": Subspace.of_coordinates("own", [2, 0], 3)},
                            window_after=lambda layer: "own"))  # fmt: skip
    assert Drawing.feature(own, 7) == AblateFeature(2, 7, entry)
    shared = Matrix.dense([[1, 1]])
    own.circuit.subspaces["own"] = Subspace("own", shared, shared.transpose)
    assert Drawing.feature(own, 7) == AblateFeature(2, 7, None)


def test_one_trial_in_eight_and_no_less_than_two_change_nothing():
    for count, without in ((1, 2), (16, 2), (23, 2), (24, 3), (40, 5)):
        own = Part(circuit=Part(length=7, edges=()), word=lambda least: ("a",) * least,
                   edges=lambda: iter(()), testable=lambda edge: True,
                   **dict.fromkeys(("interchange", "feature", "ablated_head", "moved_head", "scratch",
                                    "block"), lambda length: length))  # fmt: skip
        drawn = Drawing.trials(own, count)
        first = [next(drawn) for _ in range(without + 1)]
        assert [trial.interventions for trial in first] == [()] * without + [(3,)]
        tree = Part(circuit=own.circuit, word=own.word, changes=lambda: iter([(("b",), "change")]))
        listed = list(trials.tree_trials(tree, count))
        assert listed == [Trial(("a",) * 3, ())] * without + [Trial(("b",), ("change",))]
