"""Confirmations of the facts of our paper.

The modules of this package declare confirmations (`verify.recheck.declarations.confirms`), each with its
method, its parameters and, where it goes only part of the way, what is trusted. What a fact needs
to run is another thing (`[needs]` in the paper's data).
"""
