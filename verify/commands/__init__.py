"""The commands of the command line, one module each.

Start at the module with the command's name and at `verify.cli`. A new command is one module here with `HELP`,
`EXAMPLES`, `arguments`, `command`, and `DESCRIPTION` if there is more to say; exit statuses (0, 1, 2, 4) are
part of the interface.
"""
