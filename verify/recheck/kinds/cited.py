"""What cited works say is taken on trust: the re-checker cannot read them."""

TRUST = {"cited.says": ("source", "cited works")}
