"""Exactness shown by computation: generic entries, words of a free monoid, all small trees.

Start at `generic` (words) and `theorem3` (trees). Speed may be changed; what counts as equal may not.
"""
