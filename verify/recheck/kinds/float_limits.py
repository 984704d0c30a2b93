"""What PyTorch measured is taken on trust."""

TRUST = {"float.lengths": ("observed", "torch")}
