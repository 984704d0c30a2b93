"""Bounds on errors: the printed recursion of Theorem 2, the corrected ones, and the C they ask.

leak         what a softmax row gives away
floating     floating-point formats: u, the smallest and the largest number
outward      short decimals beside a ball, for what is written down
norms        norms of one matrix, enclosed
growth       norms of products of transition matrices, over all words
recursion    Equation (1) in each of its readings, and the corrected recursion with its proof
saturation   how large C must be for a given ε, sound for all words
named        the families of automata that sweeps run over
sweep        one row: the error at one C beside every bound
budget       soft attention and hidden units on any construction, coordinate by coordinate
states       the largest states of a tree automaton
reachable    the same by listing the states and contexts of small trees
trees        Theorem 3: what `budget` asks of its models
logdepth     the log-depth construction: what `budget` asks
refined      hidden units at several steps, with their error
neighbours   how far windows of a word are apart
windows      Theorem 2's error by the letters that a token holds
decoder      the decoder for words: softmax, plain blocks, norms; the C, h and K that keep an ε
decoder_windows     its error by the letters that a token holds
window_classes      words of one length in classes: products, and errors beside them
decoder_scores      how much rounding moves the scores of a decoder
norm_reading        how a token is read that a norm has scaled and rounded
decoder_entry_layers  what rounding does in one layer of a decoder, entry by entry
decoder_entries     what rounding adds to the decoder's error, entry by entry
decoder_rounding    the same by norms, for every design; the lesser of the two
one_hot             the logits of one-hot language models, by rows
decoder_sweep       the C of the paper's circle beside the decoder's, against T
decoder_tree        the decoder for trees: softmax
decoder_tree_nodes  the same by what a node knows, and its leaves
decoder_tree_classes  the classes of its tokens, and in which step a node may do what
decoder_tree_step   what one step does to the errors of each class
decoder_tree_rounding  what rounding adds to that
decoder_tree_losses    what the block of a layer loses to rounding
budget_certificate  the recursion of `budget` as plain data
"""
