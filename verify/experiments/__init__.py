"""Section 5 and Appendix D again: transformers trained to follow the states of an automaton.

The paper trains `torch.nn.TransformerEncoder` on three tasks and prints mean squared errors.
This room trains the same way, with every choice that the print leaves open written down.

    settings   one run: what is printed and what had to be chosen
    data       words and the states that the model must produce
    model      the encoder with its embedding and readout
    train      AdamW, mean squared error, the model with the best validation error is judged
    plan       a profile (quick, committed, paper) becomes a list of runs
    store      one file for each finished run, so that a killed grid goes on where it was
    execute    runs what is pending, in one or more processes
    summary    mean, deviation and minimum of each cell; tables as CSV and JSON
    figure     the curves, with the printed values laid over them
    results/   what we trained, as small JSON files
"""
