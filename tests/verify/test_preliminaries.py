"""The checks of Section 2: shapes, automata, trees, grammars, the architecture."""

from dataclasses import replace
from typing import Any

import pytest
import sympy

from constructions import families, theorem1
from constructions.arithmetic import Symbolic
from constructions.wfa import WFA
from constructions.wta import WTA
from verify.check import Job
from verify.checks import preliminaries, preliminaries_architecture, preliminaries_trees
from verify.claims.model import Name
from verify.evidence import Outcome


def outcomes(evidence: Any) -> dict[tuple[str, Name], Outcome]:
    return {(item.claim, item.reading): item.outcome for item in evidence}


def test_a_chain_of_shapes_fits_or_does_not() -> None:
    assert preliminaries.chain([("a", "b"), ("b", "c")]) == ("a", "c")
    assert preliminaries.chain([("a", "b"), ("a", "c")]) is None


def test_a_changed_shape_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    chains = preliminaries.CHAINS | {"heads": ((("T", "v"), ("hv", "d")), ("T", "d"))}
    monkeypatch.setattr(preliminaries, "CHAINS", chains)
    assert "heads" in str(preliminaries.fits("scores", "heads"))


def test_a_row_alpha_does_not_fit_and_a_column_does() -> None:
    found = outcomes(preliminaries.which_vectors_are_columns(Job()))
    assert found["pre.columns", Name.LITERAL] is Outcome.FAILS
    assert found["pre.columns", Name.CHARITABLE] is Outcome.HOLDS


def test_with_a_column_alpha_there_is_no_clash(monkeypatch: pytest.MonkeyPatch) -> None:
    chains = preliminaries.CHAINS | {"row-alpha": ((("1", "n"), ("n", "n")), None)}
    monkeypatch.setattr(preliminaries, "CHAINS", chains)
    found = outcomes(preliminaries.which_vectors_are_columns(Job()))
    assert found["pre.columns", Name.LITERAL] is Outcome.UNKNOWN


def test_weights_are_sums_over_paths_and_words_can_be_cut() -> None:
    found = outcomes(preliminaries.weights_are_sums_over_paths(Job()))
    assert set(found.values()) == {Outcome.HOLDS}


def test_products_in_the_wrong_order_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = WFA.states
    monkeypatch.setattr(WFA, "states", lambda self, word: original(self, tuple(reversed(word))))
    assert preliminaries.paths_problem(2, 2)
    assert preliminaries.cut_problem(2, 2)


def test_finite_automata_are_weighted() -> None:
    found = outcomes(preliminaries.finite_automata_are_weighted(Job()))
    assert set(found.values()) == {Outcome.HOLDS}


def test_a_transposed_step_is_noticed() -> None:
    def transposed(*arguments: Any) -> WFA:
        automaton = families.nfa(*arguments)
        turned = {a: tuple(zip(*m, strict=True)) for a, m in automaton.transitions.items()}
        return replace(automaton, transitions=turned)

    def deterministic(n: int, start: int, accepting: Any, moves: Any) -> WFA:
        return transposed(n, [start], accepting, {a: list(enumerate(r)) for a, r in moves.items()})

    found = outcomes(preliminaries.finite(deterministic, transposed, 2))
    assert found["pre.wfa.state", Name.LITERAL] is Outcome.FAILS
    assert found["pre.wfa.subsumes", Name.LITERAL] is Outcome.FAILS


def test_states_side_by_side_have_another_shape() -> None:
    found = outcomes(preliminaries.how_states_are_stacked(Job()))
    assert found["pre.wfa.states", Name.LITERAL] is Outcome.FAILS
    assert found["pre.wfa.states", Name.CHARITABLE] is Outcome.HOLDS


def test_stacking_is_noticed_when_a_state_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    original = WFA.states
    monkeypatch.setattr(WFA, "states", lambda self, word: original(self, word)[1:])
    found = outcomes(preliminaries.how_states_are_stacked(Job()))
    assert found["pre.wfa.states", Name.CHARITABLE] is Outcome.FAILS


def test_the_architecture_as_printed_and_as_used() -> None:
    found = outcomes(preliminaries_architecture.shapes_of_the_architecture(Job()))
    failing = {claim for (claim, _), outcome in found.items() if outcome is Outcome.FAILS}
    assert failing == {"pre.attention.one-width", "pre.transformer.map"}


def test_a_head_with_one_width_would_be_no_counterexample() -> None:
    simulation = theorem1.build(families.counting(), 2)
    layer = simulation.transformer.layers[0]
    heads = tuple(replace(head, value=head.query) for head in layer.heads)
    model = replace(simulation.transformer, layers=(replace(layer, heads=heads),))
    found = outcomes(preliminaries_architecture.in_use(replace(simulation, transformer=model)))
    assert found["pre.attention.one-width", Name.LITERAL] is Outcome.UNKNOWN


def test_a_layer_that_widens_tokens_is_noticed() -> None:
    simulation = theorem1.build(families.counting(), 2)
    model = replace(simulation.transformer, readout=theorem1.readout((1,)))
    found = outcomes(preliminaries_architecture.in_use(replace(simulation, transformer=model)))
    assert found["pre.transformer.map", Name.CHARITABLE] is Outcome.FAILS


def test_ties_break_hard_attention() -> None:
    found = outcomes(preliminaries_architecture.the_largest_value_of_a_row(Job()))
    assert found["pre.attention.hard", Name.LITERAL] is Outcome.FAILS
    assert found["pre.attention.hard", Name.CHARITABLE] is Outcome.HOLDS


def test_an_attention_that_keeps_all_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preliminaries_architecture, "hard", lambda row: (1,) * len(row))
    found = outcomes(preliminaries_architecture.the_largest_value_of_a_row(Job()))
    assert found["pre.attention.hard", Name.CHARITABLE] is Outcome.FAILS


def test_bilinear_maps_are_tensors() -> None:
    found = outcomes(preliminaries_architecture.bilinear_layers(Job()))
    assert set(found.values()) == {Outcome.HOLDS}


def test_a_layer_with_its_arguments_exchanged_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Symbolic.contract

    def exchanged(self: Symbolic, tensor: Any, left: Any, right: Any) -> Any:
        return original(self, tensor, right, left)

    monkeypatch.setattr(Symbolic, "contract", exchanged)
    assert preliminaries_architecture.bilinear_problem(2, 2, 1)


def test_layers_are_composed_in_order_and_blocks_are_named() -> None:
    found = outcomes(preliminaries_architecture.layers_are_composed_in_order(Job()))
    assert set(found.values()) == {Outcome.HOLDS}


def test_an_mlp_in_theorem_1_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preliminaries_architecture, "Bilinear", dict)
    found = outcomes(preliminaries_architecture.layers_are_composed_in_order(Job()))
    assert found["pre.transformer.mlp", Name.CHARITABLE] is Outcome.FAILS


def test_trees_are_read_in_one_way_unless_a_letter_is_a_pair() -> None:
    found = outcomes(preliminaries_trees.trees_are_read_in_one_way(Job()))
    assert found["pre.trees.definition", Name.LITERAL] is Outcome.FAILS
    assert found["pre.trees.definition", Name.CHARITABLE] is Outcome.HOLDS
    assert preliminaries_trees.double_meaning({"a", "b"}).outcome is Outcome.UNKNOWN


def test_a_parser_that_mirrors_trees_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = preliminaries_trees.parse

    def mirrored(symbols: Any) -> Any:
        tree = original(symbols)
        return tree if isinstance(tree, str) else (tree[1], tree[0])

    monkeypatch.setattr(preliminaries_trees, "parse", mirrored)
    assert preliminaries_trees.parse_problem(3)


def test_states_of_trees_are_bilinear() -> None:
    found = outcomes(preliminaries_trees.states_of_trees(Job()))
    assert set(found.values()) == {Outcome.HOLDS}


def test_a_constant_term_in_the_tensors_map_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = WTA.combine
    monkeypatch.setattr(
        WTA, "combine", lambda self, x, y: tuple(value + 1 for value in original(self, x, y))
    )
    assert preliminaries_trees.multilinear_problem(1)
    assert preliminaries_trees.comb_problem(1, 1)


def test_children_in_the_wrong_order_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = WTA.state

    def mirrored(self: WTA, tree: Any) -> Any:
        return original(self, tree if isinstance(tree, str) else (tree[1], tree[0]))

    monkeypatch.setattr(WTA, "state", mirrored)
    assert preliminaries_trees.subtree_problem(3)


def test_words_are_combs() -> None:
    assert set(outcomes(preliminaries_trees.words_are_combs(Job())).values()) == {Outcome.HOLDS}


def test_grammars_sum_over_trees_in_normal_form_only() -> None:
    found = outcomes(preliminaries_trees.grammars_sum_over_trees(Job()))
    assert found["pre.wta.wcfg", Name.LITERAL] is Outcome.FAILS
    assert found["pre.wta.wcfg", Name.CHARITABLE] is Outcome.HOLDS
    assert found["rel.zhao-harder", Name.LITERAL] is Outcome.UNKNOWN
    assert preliminaries_trees.empty_word({"": 0}).outcome is Outcome.UNKNOWN


def test_a_grammar_with_a_forgotten_rule_is_noticed() -> None:
    class Forgetful(preliminaries_trees.Grammar):
        def inside(self, word: Any) -> Any:
            return super().inside(word) - (self.binary[0, 0, 0] if len(word) > 1 else 0)

    whole = preliminaries_trees.generic_grammar(1, "a")
    grammar = Forgetful(whole.nonterminals, whole.binary, whole.lexical)
    assert preliminaries_trees.grammar_problem(grammar, 2) == "word aa: another weight"


def test_derivation_trees_are_recognised() -> None:
    (item,) = preliminaries_trees.derivation_trees_are_recognised(Job())
    assert item.outcome is Outcome.HOLDS


def test_an_automaton_that_accepts_too_much_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preliminaries_trees, "accepted", lambda grammar, tree: True)
    grammar = next(preliminaries_trees.small_grammars())
    assert preliminaries_trees.recognised(grammar, 1) is None


def test_symbols_of_a_generic_automaton_are_all_different() -> None:
    automaton = preliminaries.symbolic(2, 2)
    entries = [x for m in automaton.transitions.values() for row in m for x in row]
    assert len({*entries, *automaton.alpha, *automaton.beta}) == 12
    assert all(isinstance(x, sympy.Symbol) for x in entries)
