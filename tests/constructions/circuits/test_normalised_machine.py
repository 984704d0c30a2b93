"""The exact machine of a normalised stream agrees with the automaton and the forward pass in balls."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import flint
import pytest

from constructions import normalised
from constructions.arithmetic import Balls
from constructions.automata.families import hmm
from constructions.automata.prediction import predictor
from constructions.automata.processes import mess3, ngram
from constructions.circuits import interventions as act
from constructions.circuits.file import from_document, to_document
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.core.transformer import realise
from constructions.exports.circuit import circuit_of
from constructions.exports.order import Order
from verify.automaton.export import make

ORDER = Order(8, format="olmo2", head="next")
MODEL, _ = make(mess3(), ORDER)
CIRCUIT = circuit_of(MODEL)
WORD, OTHER = tuple("ABCABBCA"), tuple("CCABACBB")


def posterior(word, automaton=None):
    state = (automaton or mess3()).states(word)[-1]
    return tuple(x / sum(state) for x in state)


def test_beliefs_are_the_posteriors_of_the_process():
    random = Random(4)
    for _ in range(4):
        word = tuple(random.choice("ABC") for _ in range(random.randint(1, 8)))
        beliefs = CIRCUIT.values(word).beliefs
        assert beliefs == [posterior(word[:t]) for t in range(len(word) + 1)]


def test_outputs_are_proportional_to_the_chances_of_the_next_symbol():
    source = predictor(mess3())
    for row, exact in zip(CIRCUIT.values(WORD).outputs, source.distributions(WORD), strict=True):
        assert tuple(x / sum(row) for x in row) == tuple(exact.values())


@pytest.mark.parametrize("source", [mess3(), ngram(["abba", "ab", "b"], 2)])
def test_directions_and_scales_are_those_of_the_forward_pass_with_hard_attention(source):
    """In balls, written elsewhere: every feature after every block, at every position."""
    circuit, form = circuit_of(make(source, ORDER)[0]), predictor(source)
    model = normalised.build(form, 8, None, circuit.readout.logarithm)
    word = form.example(5)
    trace = circuit.values(word)
    with Balls(300) as balls:
        rows = balls.array(model.encode(word))
        streams = list(realise(model.transformer, balls).states(balls, rows))[1:]
        for layer, stream in enumerate(streams):
            hook = next(h for h in circuit.hooks if (h.site, h.layer) == ("after", layer))
            for name, values in trace.values(hook).items():
                if name == "place":  # which RoPE turns, and not the embedding
                    continue
                for row, value in zip(stream[:, list(model.layout[name])], values, strict=True):
                    for x, entry in zip(row, value.vector.entries(), strict=True):
                        assert abs(x - value.scale * flint.arb(entry)) < flint.arb(2) ** -80


def test_outputs_of_a_norm_have_one_exact_size():
    trace, nu = CIRCUIT.values(WORD), Fraction(str(CIRCUIT.constants["written_square"]))
    squares, rows = trace.squares("model.layers.2"), trace["model.layers.2"]
    for name in ("read1", "window1", "window2", "read3", "belief"):
        for vector, square in zip(rows[name], squares[name], strict=True):
            assert square * sum(x * x for x in vector) == nu
    assert set(squares["window0"]) == {1}


def test_a_window_of_another_word_gives_the_belief_of_the_spliced_word():
    patch = act.Interchange(1, 8, OTHER, 8)
    assert CIRCUIT.values(WORD, [patch]).beliefs[8] == posterior((*WORD[:4], *OTHER[4:]))
    last = act.Interchange(2, 3, OTHER, 8)
    assert CIRCUIT.values(WORD, [last]).beliefs[3] == posterior(OTHER)


def test_an_ablated_head_leaves_nothing_that_is_made_of_it():
    trace = CIRCUIT.values(WORD, [act.AblateHead(1, 0)])
    features = trace["model.layers.3"]
    assert not any(map(any, features["read2"])) and not any(map(any, features["belief"]))
    assert features["window1"] == CIRCUIT.values(WORD)["model.layers.3"]["window1"]


def test_a_scratch_read_as_0_is_still_in_the_stream():
    trace = CIRCUIT.values(WORD, [act.AblateScratch(0, 3)])
    features = trace["model.layers.0"]
    assert any(features["read1"][3]) and not any(features["window1"][3])
    assert any(features["window1"][4])


def test_a_head_that_reads_itself_squares_its_window():
    trace = CIRCUIT.values("A", [act.MoveHead(0, 0, 0)])
    squared = mess3().states("AA")[-1]
    assert trace.beliefs[1] == tuple(x / sum(squared) for x in squared)


def test_without_the_place_a_head_brings_the_mean_of_all_positions():
    removal = act.RemoveEdge("embed", "head 0.0", "query")
    (found,) = CIRCUIT.values("AB", [removal])["model.layers.0"]["read1"][2:]
    rows = [sum(CIRCUIT.embedding[token], ()) for token in ("<bos>", "A", "B")]
    assert found == tuple(sum(column) / 3 for column in zip(*rows, strict=True))


def test_the_mean_of_windows_of_several_scales_is_within_2_to_the_minus_200():
    removal = act.RemoveEdge("embed", "head 1.0", "key")
    trace = CIRCUIT.values("ABC", [removal])
    vector = trace["model.layers.1"]["read2"][3]
    with flint.ctx.workprec(400):
        rows = [[value.scale * flint.arb(x) for x in value.vector.entries()]
                for value in trace.run.added["mlp 0"]["window1"]]  # fmt: skip
        for exact, x in zip(zip(*rows, strict=True), vector, strict=True):
            assert abs(sum(exact, flint.arb(0)) / 4 - ball(x)) < flint.arb(2) ** -200


def test_without_the_last_block_the_last_norm_is_that_of_the_stream():
    """By hand: 1 and the place, a letter's matrix as embedded, and six vectors of one size."""
    trace = CIRCUIT.values("A", [act.AblateBlock(3)])
    nu, width = Fraction(str(CIRCUIT.constants["written_square"])), 64
    letter = sum(x * x for x in sum(CIRCUIT.embedding["A"], ()))
    square = 2 + letter + 6 * nu + width * Fraction(1, 10**6)
    assert not trace.has_logits
    assert abs(trace.last_factor(1) ** 2 * ball(square) - 2**80) < flint.arb(2) ** 40
    assert CIRCUIT.values("A").last_factor(1) == 1


def test_a_model_with_a_window_reads_no_further():
    source = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
    order = Order(16, format="olmo2", head="next", eps="0.05", window=4)
    word = tuple("abbaabababbabaab")
    beliefs = circuit_of(make(source, order)[0]).values(word).beliefs
    assert beliefs[-1] == posterior(word[-4:], source) and beliefs[3] == posterior(word[:3], source)


def test_interventions_without_prediction_are_refused():
    for first, target in ((act.AblateFeature(-1, 1), "mlp 0"), (act.AblateBlock(3), "logits")):
        with pytest.raises(InputError, match="only one of the two"):
            CIRCUIT.values(WORD, [first, act.RemoveEdge("embed", target, "stream")])
    with pytest.raises(InputError, match=r"hook: found model\.layers\.9"):
        CIRCUIT.values(WORD)["model.layers.9"]


def test_an_edge_that_carries_nothing_changes_nothing_and_every_other_but_constants_does():
    exact = CIRCUIT.values(WORD)
    for edge in CIRCUIT.edges:
        found = CIRCUIT.values(WORD, [act.RemoveEdge(edge.source, edge.target, edge.input)])
        same = (found.outputs, found.arguments, found.has_logits) == (
            exact.outputs, exact.arguments, exact.has_logits)  # fmt: skip
        assert same == (set(edge.carries) <= {"one"}), edge.name


BAD = {
    "no last block": (
        "components",
        lambda parts: [{**p, "kind": "idle"} if p["kind"] == "logarithm" else p for p in parts],
        "components: found no logarithm",
    ),
    "no units": (
        "readout",
        lambda body: {**body, "logarithm": None},
        "readout.logarithm: found nothing",
    ),
    "no scale": (
        "constants",
        lambda body: {**body, "written_square": "0"},
        "written_square: found 0, expected a number > 0",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_the_machine_cannot_run_is_refused_in_one_line(name):
    field, change, message = BAD[name]
    body = to_document(CIRCUIT)
    body[field] = change(body[field])
    body["edges"] = [{**edge, "carries": []} for edge in body["edges"]]
    with pytest.raises(InputError, match=message):
        from_document(body)


def test_a_head_without_a_distance_reads_its_own_position():
    own = [replace(part, distance=None) if part.name == "head 1.0" else part
           for part in CIRCUIT.components]  # fmt: skip
    found = replace(CIRCUIT, components=tuple(own)).values(WORD)
    moved = CIRCUIT.values(WORD, (act.MoveHead(1, 0, 0),))
    assert found.beliefs == moved.beliefs != CIRCUIT.values(WORD).beliefs
