r"""Which mechanism for which question: all that answer it, ranked by their own closed forms.

A question says what people hold, how many of them are asked, and what a report may cost: `Item`,
`Sets`, `Frequent`, `OneNumber`, `Vector`, `Distribution`, `Pairs`, `Correlation`, `Marginals`,
`Crosstabs`.  Its `rank` returns a `ldpnb.choose.ranking.Ranking`, which prints as a table: one
`ldpnb.choose.ranking.Choice` a mechanism, ready to be used; first those that can be used, the
smallest error first, then the others, each with what speaks against it.  Errors are read off the
mechanisms (`variance`, `worst_variance`, `plug_in`, `linear_variance`, `pooled_variance`): none is
written down here.

The questions that go backwards (how many people, which ε, which share can be told from zero) are
those of `ldpnb.choose.planning.Question`, the base of all.

What an error is of is said by each question.  All are standard errors of unbiased estimates, and n
people have 1/√n of the error of one.  Two errors that agree to nine digits count as equal, and then
the shorter report comes first.

A report has a private and a public part.  Both have to be sent, unless the public part (a seed, a
row, a cohort) can be derived from something that the server knows anyway: then `public_free` says
that it does not count.

Where the question that a person is asked is drawn in public, the error is that of the estimate that
divides by the number of people who were asked (`ldpnb.asked`, `Blocks.pair_tables`), as surveys do,
for equal numbers: those that are drawn scatter, which adds a part of about (L − 1)/n to the
variance if one of L questions is drawn.

Parameters of a mechanism are those of the least error at the share that is stated; where `bits` is
given, k-Subset and PrivSet take the largest sets that fit, a block design the best geometry that
fits, and Harmony for numbers and blocks the best number of numbers or attributes that fits.  All
else stays as its module has it: a grid of 64 steps for a number, a seed of 93 bits for a hash.
"""

from __future__ import annotations

from ldpnb.choose.attributes import Crosstabs, Marginals
from ldpnb.choose.items import Frequent, Item, Sets
from ldpnb.choose.numbers import Distribution, OneNumber, Vector
from ldpnb.choose.pairs import Correlation, Pairs
from ldpnb.choose.planning import Question

TASKS: dict[str, type[Question]] = {
    "item": Item,
    "sets": Sets,
    "frequent": Frequent,
    "number": OneNumber,
    "numbers": Vector,
    "distribution": Distribution,
    "pairs": Pairs,
    "correlation": Correlation,
    "marginals": Marginals,
    "crosstabs": Crosstabs,
}
