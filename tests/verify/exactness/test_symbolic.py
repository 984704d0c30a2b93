"""SymPy's proofs: each construction is proved at small sizes, and each mutant of a model is refuted."""

from dataclasses import replace

import pytest

from constructions import theorem1, theorem3
from constructions.core.matrix import Matrix, Tensor
from verify.exactness import sequences, symbolic
from verify.exactness.symbolic import Comparison, Difference

N, LENGTH = 2, 4


@pytest.mark.parametrize("name", sequences.CONSTRUCTIONS)
@pytest.mark.parametrize(("n", "length"), [(1, 1), (1, 5), (2, 3), (2, 4), (3, 2)])
def test_outputs_are_states_and_every_path_is_a_monomial(name, n, length):
    chosen = sequences.CONSTRUCTIONS[name]
    found = symbolic.word_mismatch(chosen.build, chosen.codes(length), n, length)
    assert isinstance(found, Comparison)
    assert found.terms == sum(n ** (t + 1) for t in range(length + 1))
    assert (found.scores > 0) == (length > 1 or name == "unrolled")


def with_tensor(change):
    """Theorem 1 with another tensor in every layer."""

    def block(each):
        tensor = each.feedforward.tensor
        wrong = Tensor(tensor.shape, change(dict(tensor.entries)))
        return replace(each, feedforward=replace(each.feedforward, tensor=wrong))

    return lambda layers: tuple(map(block, layers))


def with_angle(angle):
    """Theorem 1 with another angle θ in its left heads, from the layer's number."""

    def layer(number, each):
        left, right = each.heads
        block = theorem1.rotation(angle(number))
        wrong = replace(left, key=theorem1.select_position(theorem1.layout(N), block))
        return replace(each, heads=(wrong, right))

    return lambda layers: tuple(layer(number, each) for number, each in enumerate(layers, 1))


def with_output(change):
    """Theorem 1 with another W_out in every layer."""

    def layer(each):
        output = each.feedforward.output
        wrong = Matrix(output.shape, change(dict(output.entries)))
        return replace(each, feedforward=replace(each.feedforward, output=wrong))

    return lambda layers: tuple(map(layer, layers))


def swapped(entries):
    return {(q, p, r): value for (p, q, r), value in entries.items()}


def transposed(entries):
    flip = lambda c: (c % N) * N + c // N  # noqa: E731
    return {(p, flip(q), r): value for (p, q, r), value in entries.items()}


SPAN = theorem1.span(LENGTH)
right_angle = lambda number: theorem1.theta(number, SPAN)  # noqa: E731
MUTANTS = {
    "factors of the product swapped": with_tensor(swapped),
    "an entry of the tensor dropped": with_tensor(lambda e: dict(list(e.items())[1:])),
    "an entry of the tensor doubled": with_tensor(lambda e: {**e, next(iter(e)): 2}),
    "an entry of the tensor moved": with_tensor(
        lambda e: dict(list(e.items())[1:]) | {(0, 0, N * N - 1): 1}
    ),
    "the product with the transpose": with_tensor(transposed),
    "θ with the other sign": with_angle(lambda number: -right_angle(number)),
    "θ twice as large": with_angle(lambda number: 2 * right_angle(number)),
    "θ the same in every layer": with_angle(lambda number: right_angle(1)),
    "θ between two positions, a tie": with_angle(lambda number: right_angle(number) / 2),
    "the shifts of the layers exchanged": lambda layers: layers[::-1][:1] * len(layers),
    "a layer less": lambda layers: layers[:-1],
    "a layer more": lambda layers: (*layers, layers[-1]),
    "heads that read each other's keys": lambda layers: tuple(
        replace(
            each,
            heads=tuple(
                replace(one, key=other.key)
                for one, other in zip(each.heads, each.heads[::-1], strict=True)
            ),
        )
        for each in layers
    ),
    "W_out writes the left copy only": with_output(
        lambda e: {at: v for at, v in e.items() if at[1] < N * N}
    ),
}


def mutant(change):
    def build(automaton, length):
        model = theorem1.build(automaton, length)
        layers = change(model.transformer.layers)
        return replace(model, transformer=replace(model.transformer, layers=layers))

    return build


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_of_theorem_1_is_refuted(name):
    found = symbolic.word_mismatch(mutant(MUTANTS[name]), 2 * SPAN, N, LENGTH)
    assert isinstance(found, Difference)
    assert ("unique maximum" in found.why) == name.endswith("a tie")


@pytest.mark.parametrize("change", [lambda i, j: (j * N + i, j), lambda i, j: (i * N + j, 1 - j)])
def test_a_permuted_readout_is_refuted(change):
    def build(automaton, length):
        model = theorem1.build(automaton, length)
        rows = {change(i, j): automaton.alpha[i] for i in range(N) for j in range(N)}
        right = theorem1.layout(N)["right"]
        entries = {(right[row], column): value for (row, column), value in rows.items()}
        wrong = Matrix(model.transformer.readout.shape, entries)
        return replace(model, transformer=replace(model.transformer, readout=wrong))

    assert isinstance(symbolic.word_mismatch(build, SPAN, N, LENGTH), Difference)


def test_factors_may_be_swapped_where_they_commute():
    found = symbolic.word_mismatch(mutant(with_tensor(swapped)), SPAN, 1, LENGTH)
    assert isinstance(found, Comparison)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_tensor_of_lemma_1_multiplies_and_others_do_not(n):
    tensor = theorem1.tensor(n)
    assert symbolic.product_mismatch(tensor, n) is None
    for change in (swapped, lambda e: dict(list(e.items())[:-1])) if n > 1 else ():
        wrong = Tensor(tensor.shape, change(dict(tensor.entries)))
        assert symbolic.product_mismatch(wrong, n) is not None


@pytest.mark.parametrize("places", theorem3.Places)
@pytest.mark.parametrize("n", [1, 2])
def test_every_small_tree_has_its_states(places, n):
    assert symbolic.tree_mismatch(n, 3, places) == 4


def tree_mutant(change):
    def build(automaton, length):
        model = theorem3.build(automaton, length, places=theorem3.Places.LINE)
        layers = change(model.transformer.layers)
        return replace(model, transformer=replace(model.transformer, layers=layers))

    return build


def parse_heads(change):
    """The left and the right head of every parse layer, changed; the third copies the token."""

    def layer(each):
        return replace(each, heads=(*change(*each.heads[:2]), each.heads[2]))

    return lambda layers: (*layers[:2], *map(layer, layers[2:]))


TREE_MUTANTS = {
    "children exchanged": parse_heads(
        lambda left, right: (replace(right, name="left"), replace(left, name="right"))
    ),
    "both heads at the right child": parse_heads(lambda left, right: (right, right)),
    "the depths missing": lambda layers: layers[1:],
    "a parse layer less": lambda layers: layers[:-1],
}  # fmt: skip


@pytest.mark.parametrize("name", TREE_MUTANTS)
def test_every_mutant_of_theorem_3_is_refuted(name):
    found = symbolic.tree_mismatch(2, 3, theorem3.Places.LINE, tree_mutant(TREE_MUTANTS[name]))
    assert not isinstance(found, int)


def test_a_tie_in_a_tree_names_no_position():
    """Keys of zero make all scores of the left head alike."""

    def alike(left, right):
        return replace(left, key=Matrix(left.key.shape, {})), right

    build = tree_mutant(parse_heads(alike))
    found = symbolic.tree_mismatch(1, 2, theorem3.Places.LINE, build)
    assert found == (("a",), 0)


@pytest.mark.parametrize(("n", "length"), [(1, 3), (2, 4), (2, 5), (1, 8)])
def test_tokens_from_position_0_on_hold_the_last_letters(n, length):
    layers = symbolic.token_contents(n, length)
    for layer, tokens in enumerate(layers):
        seen = tokens[theorem1.span(length) - 1 :]
        for t in range(length + 1):
            letters, matrix = seen[t]
            assert letters == tuple(range(max(1, t - 2**layer + 1), t + 1))
            assert symbolic.letters_of([x for row in matrix for x in row]) == letters


def test_monomials_are_named_by_their_entries():
    [*_, last] = symbolic.token_contents(2, 2)
    _, matrix = last[-1]
    assert symbolic.monomials(matrix[0][1]) == ["A1[1,1]·A2[1,2]", "A1[1,2]·A2[2,2]"]
    assert symbolic.monomials(last[1][1][0][1]) == [] and symbolic.monomials(last[1][1][0][0]) == [
        "1"
    ]


def test_a_number_that_is_no_angle_of_the_field_has_no_answer():
    found = symbolic.word_mismatch(theorem1.build, 3, 1, 4)
    assert isinstance(found, Difference) and "multiple of π/3" in found.why
