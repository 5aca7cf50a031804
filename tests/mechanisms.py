"""Every mechanism of the package as benchmarks and fuzzing build it: the catalogue, and what is packed besides."""

from dataclasses import dataclass, replace

from ldpnb.core import OpenMechanism
from ldpnb.serve import catalogue


@dataclass(frozen=True)
class Entry:
    """How a mechanism is built and used: `Mechanism.sized`, `crowd`, `candidates` and what bounds them.

    Attributes
    ----------
    kind : type
    packed : bool
    """

    kind: type
    packed: bool = False

    def build(self, size, epsilon):
        made = self.kind.sized(size, epsilon)
        return replace(made, packed=True) if self.packed else made

    @staticmethod
    def people(mechanism, n, rng):
        return mechanism.crowd(n, rng)

    @property
    def items(self):
        return self.kind.candidates if issubclass(self.kind, OpenMechanism) else None

    @property
    def sizes(self):
        return self.kind.scope[0], self.kind.scope[2]

    @property
    def bench(self):
        return self.kind.scope[1]

    @property
    def epsilons(self):
        return self.kind.epsilons


PACKED = {f"{name}, packed": Entry(kind, True) for name, kind in catalogue().items() if hasattr(kind, "packed")}
CATALOGUE = {name: Entry(kind) for name, kind in catalogue().items()} | PACKED
