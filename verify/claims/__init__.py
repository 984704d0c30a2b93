"""Every checkable statement of the paper, part by part, with its place and no evidence."""
