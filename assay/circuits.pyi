from constructions.circuits import interventions as interventions
from constructions.circuits.circuit import Circuit as Circuit
from constructions.circuits.file import load_circuit as load_circuit
from constructions.circuits.trace import Trace as Trace
from verify.circuits.benchmark import write_benchmark as write_benchmark
from verify.circuits.check import check as check
from verify.circuits.edges import eap_graph as eap_graph
from verify.circuits.score import score as score
