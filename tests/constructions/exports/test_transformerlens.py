"""TransformerLens: the configuration written out; the model itself is loaded in tests/interop."""

import inspect

from constructions.exports.transformerlens import (
    LOADER,
    hooked_model,
    native_bridge,
)


def test_the_loader_is_short_and_repeats_what_load_runs():
    body = LOADER.split('"""', 2)[2]
    functions = [inspect.getsource(each) for each in (hooked_model, native_bridge)]
    assert all(source in body for source in functions)
    for source in functions:
        body = body.replace(source, "")
    lines = [line for line in body.splitlines() if line.strip() and "import" not in line]
    assert len(lines) <= 12
