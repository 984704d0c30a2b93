"""Constructions as ordinary `torch.nn.Module`s, with passes that know where every head looks."""
