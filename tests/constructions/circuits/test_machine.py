"""The exact machine of a circuit agrees with the automaton and with the forward pass."""

from itertools import product
from random import Random

import pytest
from export_support import model_of

from constructions.arithmetic import Rational
from constructions.automata.named import automaton_by_name
from constructions.automata.processes import mess3, ngram
from constructions.circuits import interventions as act
from constructions.core.errors import InputError
from constructions.core.transformer import realise
from constructions.decoder import Design, build
from constructions.exports.circuit import circuit_of
from constructions.exports.order import Order
from verify.automaton.export import make

HMM = automaton_by_name("hmm:3:7")
LETTERS = HMM.alphabet
CIRCUIT = circuit_of(model_of(HMM, Order(8)))


def words(count, length=8, letters=LETTERS):
    random = Random(5)
    return [tuple(random.choice(letters) for _ in range(random.randint(1, length)))
            for _ in range(count)]  # fmt: skip


def test_the_features_are_the_coordinates_of_the_exact_forward_pass():
    """Hard attention in rationals, written elsewhere: every hook after a block, every position."""
    model = build(HMM, 8, Design("relu"))
    arithmetic = Rational()
    for word in words(3):
        trace = CIRCUIT.values(word)
        rows = arithmetic.array(model.encode(word))
        streams = list(realise(model.transformer, arithmetic).states(arithmetic, rows))[1:]
        for layer, stream in enumerate(streams):
            features = trace[f"blocks.{layer}.hook_resid_post"]
            for name in ("window", "scratch", "place"):
                where = model.layout[name]
                exact = [tuple(row[where.start : where.stop]) for row in stream]
                assert [tuple(map(str, row)) for row in exact] == [
                    tuple(map(str, row)) for row in features[name]
                ]


def test_a_window_of_another_word_gives_the_spliced_word():
    """After two layers a window has four letters: the last window is that of one word after the other."""
    word, other = tuple("abbaabab"), tuple("bbabbbaa")
    letters = dict(zip("ab", LETTERS, strict=True))
    word, other = (tuple(letters[x] for x in each) for each in (word, other))
    patch = act.Interchange(1, 8, other, 8)
    spliced = (*word[:4], *other[4:])
    assert CIRCUIT.values(word, [patch]).outputs[8] == tuple(HMM.states(spliced)[8])


def test_an_ablated_head_leaves_its_letters_out():
    for layer in range(3):
        for word in words(3):
            outputs = CIRCUIT.values(word, [act.AblateHead(layer, 0)]).outputs
            back = 2**layer
            t = len(word)
            if layer == 2:
                kept = word[max(0, t - back) :]
                assert outputs[t] == tuple(HMM.states(kept)[-1])


def test_a_head_that_reads_itself_squares_its_window():
    word = words(1)[0][:1]
    outputs = CIRCUIT.values(word, [act.MoveHead(0, 0, 0)]).outputs
    assert outputs[1] == tuple(HMM.states(word * 2)[-1])


def test_an_ablated_block_leaves_the_product_out_and_the_scratch_full():
    word = words(1)[0][:2]
    trace = CIRCUIT.values(word, [act.AblateBlock(0)])
    features = trace["blocks.0.hook_resid_post"]
    before = CIRCUIT.values(word)["blocks.0.hook_resid_mid"]
    assert features["scratch"] == before["scratch"] and any(features["scratch"][2])
    assert features["window"] == before["window"]


def test_an_edge_that_carries_nothing_changes_nothing_and_most_others_do():
    word, exact = words(1)[0], CIRCUIT.values(words(1)[0]).outputs
    changed = 0
    for edge in CIRCUIT.edges:
        removal = act.RemoveEdge(edge.source, edge.target, edge.input)
        same = CIRCUIT.values(word, [removal]).outputs == exact
        assert same or edge.carries
        changed += not same
    assert changed > 20


@pytest.mark.parametrize("form", ["gpt2", "safetensors"])
def test_digital_and_gated_models_of_a_trigram_give_its_logits(form):
    source = ngram(["abba", "ab", "b", "abab"], 3)
    model, _ = make(source, Order(8, format=form, head="next"))
    circuit, simulation = circuit_of(model), model.simulation
    for word in product(("a", "b"), repeat=3):
        trace = circuit.values(word)
        states = [tuple(state) for state in simulation.automaton.states(word)]
        possible = [
            k for k, state in enumerate(states) if any(state)
        ]  # prefixes; others are filled in
        assert possible[0] == 0 and [trace.states[k] for k in possible] == [
            states[k] for k in possible
        ]
        assert all(sum(belief) in (0, 1) for belief in trace.beliefs or [])


def test_the_belief_of_a_process_is_its_posterior():
    model, _ = make(mess3(), Order(8, head="next"))
    trace = circuit_of(model).values("ABC")
    state = mess3().states("ABC")[-1]
    assert (trace.beliefs or [])[-1] == tuple(x / sum(state) for x in state)


def test_a_word_that_does_not_fit_is_refused_by_its_letter_or_its_length():
    with pytest.raises(InputError, match="word: found z, expected a symbol"):
        CIRCUIT.values("z")
    with pytest.raises(InputError, match="word: found 9 letters, expected at most 8"):
        CIRCUIT.values([LETTERS[0]] * 9)
    with pytest.raises(InputError, match=r"hook: found blocks\.9"):
        CIRCUIT.values([])["blocks.9"]
