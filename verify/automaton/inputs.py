"""Words and trees on which models are measured: chosen to be hard, not to be typical.

Words     every letter alone, two letters in turn, all letters in turn, the word that makes the state
          largest letter by letter (`greedy`), the word with the largest product that a beam finds,
          and random ones by a fixed seed
Small     the word that makes the state smallest letter by letter, in place of the largest
Trees     combs to both sides, zigzags, a balanced tree, the tree that takes the most steps, and
          random shapes; leaves all alike, in turn, and random
Search    `climb` changes one letter of the worst inputs at a time; of trees one leaf, or the shape by one
          rotation, ((a, b), c) ↔ (a, (b, c))

A measurement bounds nothing, on whatever input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import nlargest
from itertools import islice, permutations
from random import Random

import flint
import numpy as np

from constructions.automata.pebbling import extremal_tree, most_steps, random_shape
from constructions.automata.trees import (
    Tree,
    balanced_tree,
    comb,
    leaves,
    most_leaves,
    parse,
    relabelled_tree,
    tokens,
    zigzag,
)
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from verify.bounds.growth import scaled_maps, witnesses

Word = tuple[str, ...]
Errors = Callable[[Sequence[Word]], Sequence[flint.arb]]
Changes = Callable[[Word], Iterator[Word]]
SEED, RANDOM, PAIRS = 2024, 2, 6


def words(automaton: WFA, length: int) -> dict[str, Word]:
    """Words of a length, each by its description."""
    letters, random = automaton.alphabet, Random(SEED)
    chosen = {f"the letter {letter} alone": (letter,) * length for letter in letters}
    for one, two in list(permutations(letters, 2))[:PAIRS]:
        chosen[f"{one} and {two} in turn"] = in_turn((one, two), length)
    chosen["all letters in turn"] = in_turn(letters, length)
    chosen["a greedy word"] = greedy_word(automaton, length)
    if length:
        chosen["the largest product found"] = witnesses(automaton, [length])[0].word
    for number in range(RANDOM):
        name = f"random word {number + 1}"
        chosen[name] = tuple(random.choice(letters) for _ in range(length))
    return chosen


def in_turn(letters: Sequence[str], length: int) -> Word:
    """Repeat the letters up to a length."""
    return tuple(letters[i % len(letters)] for i in range(length))


def greedy_word(automaton: WFA, length: int) -> Word:
    """Choose each letter so that the next state is largest."""
    return _letter_by_letter(automaton, length, lambda sizes: max(sizes, key=sizes.__getitem__))


def smallest_word(automaton: WFA, length: int) -> Word:
    """Choose each letter so that the next state is smallest, but not 0 if another letter avoids that."""

    def pick(sizes: dict[str, float]) -> str:
        positive = {letter: size for letter, size in sizes.items() if size > 0} or sizes
        return min(positive, key=positive.__getitem__)

    return _letter_by_letter(automaton, length, pick)


def _letter_by_letter(automaton: WFA, length: int, pick: Callable[[dict[str, float]], str]) -> Word:
    """The word whose next letter is picked by the size of the state after it."""
    maps, top = scaled_maps(automaton), max(map(abs, automaton.alpha)) or 1
    state, word = np.array([float(weight / top) for weight in automaton.alpha]), list[str]()
    for _ in range(length):
        sizes = {letter: float(np.linalg.norm(state @ rows)) for letter, rows in maps.items()}
        letter = pick(sizes)
        state = state @ maps[letter] / (sizes[letter] or 1.0)
        word.append(letter)
    return tuple(word)


def small_words(automaton: WFA, length: int) -> Iterator[Word]:
    """Yield words that may have small states, the most promising first."""
    letters, random = automaton.alphabet, Random(SEED)
    yield smallest_word(automaton, length)
    for letter in letters:
        yield (letter,) * length
    for pair in islice(permutations(letters, 2), PAIRS):
        yield in_turn(pair, length)
    for _ in range(RANDOM):
        yield tuple(random.choice(letters) for _ in range(length))


def trees(automaton: WTA, length: int) -> dict[str, Word]:
    """The strings of trees with at most that many tokens, each by its description."""
    letters, random = automaton.alphabet, Random(SEED)
    chosen = dict[str, Word]()
    for shape, tree in shapes(most_leaves(length)):
        count = sum(1 for _ in leaves(tree))
        labels = {f"leaves {letter}": (letter,) * count for letter in letters}
        labels["leaves in turn"] = in_turn(letters, count)
        labels["random leaves"] = tuple(random.choice(letters) for _ in range(count))
        for name, own in labels.items():
            chosen[f"{shape}, {name}"] = tokens(relabelled_tree(tree, own))
    return chosen


def shapes(count: int) -> Iterator[tuple[str, Tree]]:
    """Trees with that many leaves; the one that takes the most steps may have fewer."""
    blank, random = ["a"] * count, Random(SEED)
    yield "left comb", mirrored(comb(blank))
    yield "right comb", comb(blank)
    yield "zigzag", zigzag(blank)
    yield "mirrored zigzag", mirrored(zigzag(blank))
    yield "balanced tree", balanced_tree(blank)
    yield "tree of most steps", extremal_tree(most_steps(count))
    for number in range(RANDOM):
        yield f"random tree {number + 1}", random_shape(count, random)


def mirrored(tree: Tree) -> Tree:
    """The tree with left and right exchanged everywhere, without recursion."""
    done, waiting = list[Tree](), [(tree, False)]
    while waiting:
        node, ready = waiting.pop()
        if isinstance(node, str):
            done.append(node)
        elif ready:
            right, left = done.pop(), done.pop()
            done.append((right, left))
        else:
            waiting += [(node, True), (node[1], False), (node[0], False)]
    return done[0]


def climb(
    errors: Errors, starts: Sequence[Word], changes: Changes, rounds: int, width: int = 1
) -> Word:
    """Beam search for the worst input: every round changes the `width` worst ones found so far.

    It ends with the rounds, or where no change is among the worst.
    """
    sizes, done = dict(zip(starts, errors(starts), strict=True)), set[Word]()
    for _ in range(rounds):
        worst = [word for word in nlargest(width, sizes, sizes.__getitem__) if word not in done]
        done.update(worst)
        others = {other: None for word in worst for other in changes(word) if other not in sizes}
        if not others:
            break
        sizes.update(zip(others, errors(list(others)), strict=True))
    return max(sizes, key=sizes.__getitem__)


def neighbours(word: Word, letters: Sequence[str]) -> Iterator[Word]:
    """Yield all words that differ in one letter; brackets stay."""
    for place, own in enumerate(word):
        for letter in letters:
            if letter != own and own in letters:
                yield (*word[:place], letter, *word[place + 1 :])


def tree_neighbours(word: Word, letters: Sequence[str]) -> Iterator[Word]:
    """Yield the strings of all trees with one other leaf, or of another shape by one rotation."""
    yield from neighbours(word, letters)
    for tree in rotations(parse(word)):
        yield tokens(tree)


def rotations(tree: Tree) -> Iterator[Tree]:
    """The trees with the same leaves in which one inner edge is turned.

    Examples:
        >>> list(rotations((("a", "b"), ("c", "d"))))
        [('a', ('b', ('c', 'd'))), ((('a', 'b'), 'c'), 'd')]

    """
    if isinstance(tree, str):
        return
    left, right = tree
    if not isinstance(left, str):
        yield left[0], (left[1], right)
    if not isinstance(right, str):
        yield (left, right[0]), right[1]
    yield from ((other, right) for other in rotations(left))
    yield from ((left, other) for other in rotations(right))
