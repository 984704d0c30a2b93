"""Bounds on errors: the printed recursion of Theorem 2, the corrected ones, and the C they require.

leak         the share of a softmax row outside its target
floating     floating-point formats: u, the smallest and the largest number
outward      short decimals at the ends of a ball, for certificates
norms        norms of one matrix, enclosed
growth       norms of products of transition matrices, over all words
recursion    Equation (1) in each of its readings, and the corrected recursion with its proof
saturation   how large C must be for a given ε, sound for all words
sweep        one row: the error at one C beside every bound
budget       soft attention and hidden units on any construction, coordinate by coordinate
states       the largest states of a tree automaton
tree_budget  Theorem 3: the input of `budget`
logdepth     the log-depth construction: the input of `budget`
refined      hidden units at several steps, with their error
circulant    the soft pass of Theorem 2 in balls, by its circulant structure
measured     errors of soft runs with MLPs, in balls, beside the bounds
language     next-symbol distributions: digital blocks and logarithms, with rounding
ngram        the model of an n-gram table
normalised   decoders whose norms follow attention and block (olmo2)
scaled, summation  products with separate scales; sums with rounding
state_sizes  least and largest sizes of states
neighbours   distances between windows of a word
windows      Theorem 2's error by the letters that a token holds
decoder      the decoder for words: softmax, plain blocks, norms
decoder_windows     its error by the letters that a token holds
window_classes      words of one length in classes: products, and errors beside them
decoder_scores      rounding errors of the scores of a decoder
norm_reading        reading errors of a token that a norm has scaled and rounded
decoder_rounding    its error by norms, in exact arithmetic and in a format; the lesser of this and entries
decoder_entry_layers  errors in one layer of a gated decoder, entry by entry, leaks and rounding
decoder_entries     the same for all layers
decoder_settings    the C, h and K that keep an ε, or suit a format
one_hot             the logits of one-hot language models, by rows
decoder_sweep       the C of the paper's circle beside the decoder's, against T
decoder_tree        the C of the decoder for trees
budget_certificate  the recursion of `budget` as plain data

Start at `recursion` (Theorem 2) and `decoder`. Every bound has a derivation in its module's docstring:
change both together, and the tests attack the result.
"""
