"""The names of the formats that a run writes; each is typed here and nowhere else."""

RECORD = "assay-record-3"
CERTIFICATES = "assay-certificates-2"
PAPER = "assay-paper-1"
