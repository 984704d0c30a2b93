"""Training piece by piece, on predictions that are given: errors, epochs, tries and reports by hand."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from verify.experiments import train  # noqa: E402
from verify.experiments.data import Sample  # noqa: E402
from verify.experiments.settings import Settings  # noqa: E402

TINY = Settings("layers", 4, 1, 4, seeds=(0, 1), examples=100, epochs=3, dropout="0")
WORDS = torch.tensor([[0, 1], [1, 1], [1, 0], [0, 0]])
STATES = torch.tensor([
    [[1.0, 3.0], [0.0, 1.0]], [[0.0, 0.0], [2.0, 1.0]], [[1.0, 1.0], [3.0, 0.0]], [[4.0, 2.0], [1.0, 1.0]],
])  # fmt: skip
EXAMPLES = Sample(WORDS, STATES)


class Given:
    """A stack whose prediction for a letter a is (a + 3/4, a + 3/4), and which notes what it is asked."""

    def __init__(self, settings=TINY):
        self.settings, self.dropout = settings, SimpleNamespace(active=True)
        self.weights, self.seen, self.asked = {}, [], []

    def __call__(self, words, look=False):
        self.asked.append((tuple(words.shape), self.dropout.active, look))
        return (words + 0.75)[..., None].expand(*words.shape, 2)


def mean(values):
    return sum(values) / len(values)


CHOSEN = torch.tensor([[0, 1, 2], [3, 2, 3]])


def test_examples_are_judged_in_pieces_without_dropout(monkeypatch):
    stack = Given()
    monkeypatch.setattr(train, "JUDGED_AT_ONCE", 2)
    pieces = list(train.predictions(stack, EXAMPLES, CHOSEN))
    assert stack.asked == [((2, 2, 2), False, False), ((2, 1, 2), False, False)]
    assert stack.dropout.active is True
    assert {part.dtype for piece in pieces for part in piece} == {torch.float64}
    assert torch.equal(torch.cat([y for _, y in pieces], 1), STATES[CHOSEN].double())


def test_at_most_250_examples_are_judged_at_once():
    stack = Given()
    list(train.predictions(stack, EXAMPLES, torch.zeros(2, 501, dtype=torch.long)))
    assert [shape[1] for shape, *_ in stack.asked] == [250, 250, 1]


@pytest.mark.parametrize("together", [1, 2, 3])
def test_errors_are_means_of_squares_for_each_seed(together, monkeypatch):
    monkeypatch.setattr(train, "JUDGED_AT_ONCE", together)
    found = train.squared_errors(Given(), EXAMPLES, CHOSEN)
    rounded = train.rounded_errors(Given(), EXAMPLES, CHOSEN)
    assert found.shape == (2, 2) and rounded.shape == (2,)
    for seed, examples in enumerate(CHOSEN.tolist()):
        squares = [
            [
                (int(WORDS[i, t]) + 0.75 - float(STATES[i, t, c])) ** 2
                for i in examples
                for c in (0, 1)
            ]
            for t in (0, 1)
        ]
        assert found[seed].tolist() == pytest.approx([mean(at) for at in squares], rel=1e-12)
        whole = [(int(WORDS[i, t]) + 1 - float(STATES[i, t, c])) ** 2
                 for i in examples for t in (0, 1) for c in (0, 1)]  # fmt: skip
        assert float(rounded[seed]) == pytest.approx(mean(whole), rel=1e-12)


def test_the_earlier_of_two_equally_good_states_is_kept():
    best = train.Best(torch.tensor([0.5]), torch.tensor([1]), {"w": torch.tensor([[7.0]])})
    best.offer(2, torch.tensor([0.5]), {"w": torch.tensor([[8.0]])})
    assert best.epochs.tolist() == [1] and best.weights["w"].tolist() == [[7]]


def test_every_epoch_is_trained_judged_and_reported(monkeypatch):
    errors = iter([[[4.0, 2.0], [1.0, 3.0]], [[1.0, 1.0], [5.0, 5.0]], [[2.0, 2.0], [1.0, 1.0]]])
    stack, reported, trained = Given(), [], []
    stack.weights = {"w": torch.zeros(2, 1)}

    def one_epoch(*given):
        trained.append(given[2])
        stack.weights["w"] += 1

    monkeypatch.setattr(train, "one_epoch", one_epoch)
    judged = lambda stack, examples, chosen: torch.tensor(next(errors)).double()  # noqa: E731
    monkeypatch.setattr(train, "squared_errors", judged)
    parts = train.Parts(CHOSEN, CHOSEN[:, :1], CHOSEN[:, 1:])
    report = lambda epoch, error: reported.append((epoch, error))  # noqa: E731
    best, curve = train.fit(stack, EXAMPLES, parts, None, [], report)
    assert reported == [(1, 2.5), (2, 3.0), (3, 1.5)] and trained == [CHOSEN] * 3
    assert [row.tolist() for row in curve] == [[3, 2], [1, 5], [2, 1]]
    assert (best.errors.tolist(), best.epochs.tolist()) == ([1, 1], [2, 3])
    assert best.weights["w"].tolist() == [[2], [3]]


def test_weights_are_set_in_place():
    weight = torch.zeros(2, 1)
    stack = SimpleNamespace(weights={"w": weight})
    train.set_weights(stack, {"w": torch.tensor([[3.0], [4.0]]), "other": torch.ones(1)})
    assert stack.weights["w"] is weight and weight.tolist() == [[3], [4]]


def test_tries_go_on_from_each_other_and_are_reported_seed_by_seed(monkeypatch):
    told = []
    kept = [
        SimpleNamespace(weights=f"best {k}", epochs=torch.tensor([k, k + 5])) for k in (1, 2, 3)
    ]
    curves = [[torch.tensor([k + 0.5, k + 0.25])] * 2 for k in (1, 2, 3)]
    fits = iter(zip(kept, curves, strict=True))
    tests = iter([[[1.0, 3.0], [2.0, 2.0]], [[3.0, 3.0], [4.0, 6.0]], [[5.0, 5.0], [6.0, 6.0]]])
    rounded = iter([[0.5, 0.25], [1.5, 1.25], [2.5, 2.25]])
    fake = {
        "start_again": lambda *_: told.append("again"),
        "fit": lambda *_: told.append("fit") or next(fits),
        "set_weights": lambda stack, weights: told.append(weights),
        "squared_errors": lambda *_: torch.tensor(next(tests)),
        "rounded_errors": lambda *_: torch.tensor(next(rounded)),
    }
    for name, function in fake.items():
        monkeypatch.setattr(train, name, function)
    asked = {}
    monkeypatch.setattr(torch.optim, "AdamW", lambda weights, **given: asked.update(given))
    stack = Given(replace(TINY, tries=3, rate="0.25", decay="0.5"))
    parts = train.Parts(CHOSEN, CHOSEN, CHOSEN)
    found = train.run_tries(stack, EXAMPLES, parts, [], lambda *_: None)
    assert asked == {"lr": 0.25, "weight_decay": 0.5, "fused": True}
    assert told == ["fit", "best 1", "again", "fit", "best 2", "again", "fit", "best 3"]
    assert found == {
        "mse": [["2", "3", "5"], ["2", "5", "6"]],
        "rounded": [["0.5", "1.5", "2.5"], ["0.25", "1.25", "2.25"]],
        "best_epoch": [[1, 2, 3], [6, 7, 8]],
        "curve": [["1.5", "1.5"], ["1.25", "1.25"]],
    }


def noted(monkeypatch, name, answer):
    """What a function of training is asked for."""
    asked = []
    monkeypatch.setattr(train, name, lambda *given, **more: asked.append((given, more)) or answer)
    return asked


@pytest.mark.parametrize("task", ["layers", "embedding", "pautomac"])
def test_only_counting_zeros_is_tried_on_longer_words_and_looked_into(task, monkeypatch):
    stack = Given(replace(TINY, task=task))
    parts = train.Parts(CHOSEN, CHOSEN, torch.arange(2 * 201).view(2, 201))
    noted(monkeypatch, "squared_errors", torch.tensor([[1.0, 2.0]]))
    noted(monkeypatch, "errors_on_longer_words", torch.tensor([[3.0]]))
    looked = noted(monkeypatch, "attention", [torch.tensor([[0.5]])])
    found = train.report_last_try(stack, EXAMPLES, parts)
    more = {"beyond": [["3"]], "attention": [[["0.5"]]]} if task == "layers" else {}
    assert found == {"by_position": [["1", "2"]], **more}
    assert [given[2].tolist() for given, _ in looked] == [parts.test[:, :200].tolist()] * bool(more)


def test_longer_words_are_a_thousand_of_another_stream(monkeypatch):
    drawn = noted(monkeypatch, "sample", EXAMPLES)
    judged = noted(monkeypatch, "squared_errors", "errors")
    machine = noted(monkeypatch, "machine", "automaton")
    stack = Given()
    assert train.errors_on_longer_words(stack) == "errors" and machine == [((TINY,), {})]
    assert drawn == [((TINY, "automaton", 1000, 8), {"stream": 1})]
    [((_, examples, chosen), _)] = judged
    assert examples is EXAMPLES and chosen.tolist() == [list(range(1000))] * 2


def test_attention_is_that_of_the_first_seed_by_head_and_distance():
    """One layer, two seeds, two words, two heads, T = 2."""
    first = [[[[1, 0], [0.5, 0.5]], [[0, 1], [1, 0]]], [[[0, 1], [0.5, 0.5]], [[0, 1], [1, 0]]]]
    other = [[[[9, 9], [9, 9]]] * 2] * 2

    class Looking(Given):
        def __call__(self, words, look=False):
            self.seen = [torch.tensor([first, other])]
            return super().__call__(words, look)

    stack = Looking()
    [found] = train.attention(stack, EXAMPLES, CHOSEN)
    assert found.tolist() == [[0.5, 0.5, 0.5], [1, 0, 1]] and found.dtype is torch.float64
    assert stack.asked == [((2, 3, 2), False, True)] and stack.dropout.active is True


def test_diagonals_are_averaged_from_the_lowest_to_the_highest():
    looks = torch.tensor([[[1.0, 2.0], [3.0, 5.0]]])
    assert train.by_distance(looks).tolist() == [[3, 3, 2]]


def test_the_best_guess_knows_the_training_states_of_the_first_seed():
    """Mean of the examples 0 and 1; squares of the example 3 less that mean."""
    parts = train.Parts(torch.tensor([[0, 1], [2, 2]]), CHOSEN, torch.tensor([[3], [0]]))
    squares = [(4 - 0.5) ** 2, (2 - 1.5) ** 2, (1 - 1) ** 2, (1 - 1) ** 2]
    assert train.baseline(EXAMPLES, parts) == f"{mean(squares):.6g}"


def test_a_run_is_drawn_from_the_first_stream_and_timed_to_tenths(monkeypatch):
    clock = iter([10.0, 12.3456])
    monkeypatch.setattr(train, "time", SimpleNamespace(process_time=lambda: next(clock)))
    sample, drawn = train.sample, []

    def spy(*given, **more):
        drawn.append((given[2:], more))
        return sample(*given, **more)

    monkeypatch.setattr(train, "sample", spy)
    noted(monkeypatch, "run_tries", {"mse": []})
    noted(monkeypatch, "report_last_try", {"by_position": []})
    found = train.run(TINY)
    assert drawn == [((100, 4), {"stream": 0})]
    assert found["clock"] == {"cpu_seconds": 2.3, "torch": torch.__version__}
    assert found["settings"] == TINY.plain()
    assert set(found["result"]) == {"mse", "by_position", "parameters", "baseline"}
    model, *_ = train.models(TINY, 2, 2)
    assert found["result"]["parameters"] == sum(part.numel() for part in model.parameters())
