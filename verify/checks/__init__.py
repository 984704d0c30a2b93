"""The checks, one module per topic; importing a module registers its checks."""
