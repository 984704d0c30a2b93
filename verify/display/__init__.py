"""What commands share on a screen: tables, escaped text, figures, progress."""
