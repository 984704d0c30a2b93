"""`python -m verify` is the console script `assay`, which is also callable as `verify`."""

from verify.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
