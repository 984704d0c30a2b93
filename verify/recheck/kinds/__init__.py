"""Confirmations of the facts of our paper, one module for each mathematical object.

The modules of this package declare confirmations (`verify.recheck.declarations.confirms`), each with its
method, its parameters and, where it goes only part of the way, what is trusted. What a fact needs
to run is another thing (`[needs]` in the paper's data).

Start at the module with the name of the fact's object. A new confirmation is one function here.
"""
