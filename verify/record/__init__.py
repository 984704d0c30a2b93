"""Runs: select the facts, compute them, make the record, and write it.

Start at `runner` and `record`. The field names of a record are read by the re-checker and by reports.
"""
