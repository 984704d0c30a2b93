"""Training piece by piece, on predictions that are given: errors, epochs, tries and reports by hand."""

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
    """A stack whose prediction for a letter a is (a + 3/4, a + 3/4), and which records its calls."""

    def __init__(self, settings=TINY):
        self.settings, self.dropout = settings, SimpleNamespace(active=True)
        self.weights, self.seen, self.asked = {}, [], []

    def __call__(self, words, look=False):
        self.asked.append((tuple(words.shape), self.dropout.active, look))
        return (words + 0.75)[..., None].expand(*words.shape, 2)


def mean(values):
    return sum(values) / len(values)


CHOSEN = torch.tensor([[0, 1, 2], [3, 2, 3]])


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


def test_the_best_guess_knows_the_training_states_of_the_first_seed():
    """Mean of the examples 0 and 1; squares of the example 3 less that mean."""
    parts = train.Parts(torch.tensor([[0, 1], [2, 2]]), CHOSEN, torch.tensor([[3], [0]]))
    squares = [(4 - 0.5) ** 2, (2 - 1.5) ** 2, (1 - 1) ** 2, (1 - 1) ** 2]
    assert train.baseline(EXAMPLES, parts) == f"{mean(squares):.6g}"
