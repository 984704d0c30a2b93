from constructions.circuits import interventions as interventions
from constructions.circuits.circuit import Circuit as Circuit
from constructions.circuits.file import load_circuit as load_circuit
from verify.circuits.check import check as check
from verify.circuits.references import reference as reference
from verify.circuits.score import score as score
