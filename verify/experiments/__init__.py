"""Section 5 and Appendix D again: transformers trained to follow the states of an automaton.

The paper trains `torch.nn.TransformerEncoder` on three tasks and prints mean squared errors.
This package trains the same way, with every choice that the print leaves open written down.

    settings   one cell: what is printed and what had to be chosen
    data       words and the states that the model must produce
    network    the encoder with its embedding and readout
    stack      the same encoder for several seeds at once
    train      AdamW, mean squared error, the model with the best validation error is evaluated
    plan       grids of cells: the paper's, a quick one, those of docs/protocol.md
    store      trains a cell and keeps its record in a file, so that a killed grid goes on where it was
    summary    mean, deviation and minimum of each cell; tables as CSV and JSON
    figure     the curves, ours and the printed ones
    printed    the four printed tables (printed.toml)
    statistics Welch's test and elbows
    targets    exact numbers of the PAutomaC automata
    results/   what we trained by docs/protocol.md
    authors_code.toml   what the authors' public code does, line by line

Start at `settings` and `train`. Names and defaults of settings decide the names of stored results.
"""
