"""Output shared by commands: tables, escaped text, figures, progress.

Start at `screen`. Everything here may change; outputs of commands are approved by the tests.
"""
