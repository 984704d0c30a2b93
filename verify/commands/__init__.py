"""One module a command: `HELP`, `DESCRIPTION` if there is more to say, `EXAMPLES`, `arguments`, `command`."""
