"""Certificates: the inequalities of a proof as text.

From it, a stranger can check them without this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ldpnb.exact.arguments import shown
from ldpnb.exact.polynomials import STARTS, Poly, exponents, sign

if TYPE_CHECKING:
    from ldpnb.exact.symbolic import Laws

LONG = 2000  # letters of a report
CLAIM = (
    "# for all pairs of inputs and all reports, y >= start and w >= 0: "
    "total = sum of a law, 0 <= p <= y^r q"
)


def certificate(laws: Laws) -> str:
    """Write the polynomials of laws as text: `total`, and p of each input and report."""
    late = laws.field.late or any(sign(gap)[1] for *_, gap in laws.gaps())
    lines = [
        CLAIM,
        f"r {laws.field.roots}",
        f"start {STARTS[late]}",
        f"total {in_letters(laws.total)}",
    ]
    names = _names([*laws.reports])
    for i, law in enumerate(laws.law):
        for report, p in law.items():
            lines.append(f"p {i} {names[report]} : {in_letters(p)}")
    return "\n".join(lines) + "\n"


def _names(reports: list[Any]) -> dict[Any, str]:
    """Return reports as texts of one line; two that begin alike are numbered."""
    texts = [shown(report, most=LONG).replace("\n", " ") for report in reports]
    names = dict[Any, str]()
    for i, (report, text) in enumerate(zip(reports, texts, strict=True)):
        if texts.count(text) > 1:
            text = f"{text} ({i})"
        names[report] = text
    return names


def in_letters(p: Poly) -> str:
    """Write a polynomial as c*y^i*w1^j, terms joined by +."""
    terms = []
    for monomial, c in sorted(p.items()):
        powers = [_power(i, n) for i, n in exponents(monomial)]
        terms.append("*".join([str(c), *powers]))
    return " + ".join(terms) or "0"


def _power(variable: int, n: int) -> str:
    if variable == 0:
        return f"y^{n}"
    return f"w{variable}^{n}"
