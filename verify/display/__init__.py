"""Output shared by the commands: tables, escaped text, figures, progress."""
