# %% [markdown]
# (paper-ye2018-experiments)=
# # The survey, §4.4: experiments
#
# *A part of the {ref}`dossier <paper-ye2018>` on {cite:t}`ye2018survey`: §4.4, figure by figure.*
#
# §4.4 shows what the budget ε and the number of people do to estimates: frequencies by RAPPOR, means by Harmony-Mean.
# By our limits, four of the five figures came out as described.
# In Fig. 8, estimates with few people are far off only if the frequencies fall slowly.
# Our text has no figures and no numerical results, so we compare with the survey's words.
#
# **Readings that are ours.**
# - The survey does not give RAPPOR's parameters.
#   We give every item a bit of its own, perturbed once with all of ε; what Bloom filters add to the error is {ref}`below Fig. 5 <ye2018-fig-5-bloom>`.
# - It does not give the widths of the two distributions.
#   Our normal curve has a standard deviation of nine items, and our exponential curve falls by a factor e over ten items.
# - The survey gives no numbers for “far” and “close”.
#   A share is far off if the error is above 40 % of the largest share, and close if it is below 3 %.
#   For a mean, the limits are 5 % and 1 % of the range from 1 to 400.
#   We speak of a fall if the error drops by more than a tenth.
# - The strings are $V_1$ to $V_{50}$ in our reading of a damaged index.
#
# **Letters.**
# The survey writes $N$ for the number of people in this section; we write $n$ throughout.
#
# **Lessons.**
# {ref}`ch-rr` teaches W-RR and its error, {ref}`ch-frequency` the estimates of Figs. 5 and 8, and {ref}`ch-many` those of Figs. 6 and 9.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from functools import partial
from math import exp, isclose, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ldpnb import RAPPOR, SUE, HarmonyMean, epsilon, laws, moments, toss
from ldpnb_book import close, settle, style, table
from ldpnb_book.studies import ye2018 as study, ye2018_means as numbers

style()
rng = np.random.default_rng(2018)  # the year of the survey


# %% [markdown]
# (ye2018-4-4)=
# (sec-freq-million)=
# ## §4.4 Experiments
#
# (ye2018-fig-5)=
# ### Fig. 5 · Frequencies at three budgets
#
# {badge}`Reproduced <ye2018.fig5>` · Lesson: {ref}`ch-frequency`
#
# A million people send one string each, out of 50, at $\varepsilon = 0.1$, 0.5 and 2; the true frequencies follow a normal curve.
# The survey says that the estimates are far from the truth at 0.1, and close to it at 2.
#
# We draw the numbers of ones themselves, not 150 million bits.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-freq-fig5", "caption": "Fig. 5 at the survey's size: a million people, 50 items, normal frequencies. Bars: true shares. Marks: RAPPOR's estimates in one survey, with 95 % intervals from the variance formula."}, "image": {"alt": "Three panels of 50 bars in a bell shape, with estimates as marks. At epsilon 0.1 the marks scatter by 2 points and some are negative; at 0.5 they follow the bell with visible scatter of 0.4 points; at 2 they sit on the bars."}}


def panels(found, by, title):
    """One panel per case: true shares as bars, estimates as marks with their intervals."""
    cases = list(found[by].unique())
    fig, axes = plt.subplots(len(cases), 1, figsize=(6.4, 7.4), sharex=True)
    for ax, case in zip(axes, cases, strict=True):
        part = found[found[by] == case]
        sns.barplot(part, x="item", y="truth", native_scale=True, color="#BFD9EC", ax=ax, label="truth", legend=False)
        look = {"fmt": "o", "color": "#D55E00", "markersize": 3.5, "linewidth": 1, "label": "estimate"}
        ax.errorbar(part["item"], part["estimate"], yerr=1.96 * part["error"], **look)
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set(title=title(case), xlabel="item", ylabel="share, %")
    axes[0].legend(loc="upper right")
    plt.show()


fig5 = study.surveyed(study.fig5(SUE), rng=rng, name="eps")
panels(fig5, "eps", lambda eps: f"ε = {eps:g}")

# %% tags=["hide-input"]


def summary(found, by, name):
    """Root mean square errors in points of the survey that is drawn, and of the formula."""
    rows = []
    for case, part in found.groupby(by, sort=False):
        off = part["estimate"] - part["truth"]
        drawn, formula = sqrt((off**2).mean()), sqrt((part["error"] ** 2).mean())
        negative = int((part["estimate"] < 0).sum())
        rows.append([f"{case:,}", f"{drawn:.3f}", f"{formula:.3f}", f"{part['truth'].max():.2f}", f"{negative}"])
    head = [name, "error in this survey, points", "by the formula", "largest share, %", "negative estimates"]
    return table(pd.DataFrame(rows, columns=head))


summary(fig5, "eps", "ε")

# %% [markdown]
# The figure shows one simulation per budget; the verdict rests on 2,000.
# Their mean square error agrees with the variance $\frac{s}{(s-1)^2 n}$, $s = e^{\varepsilon/2}$, of {ref}`§4.1.1 (c) <ye2018-4-1-1-c>`.
#
# (ye2018-fig-5-bloom)=
# ### Beside Fig. 5 · With Bloom filters
#
# Ours; lesson: {ref}`ch-rappor`
#
# By formula, with Bloom filters of 32 bits, two hash functions and 16 cohorts:


# %% tags=["hide-input"]
def bloom(eps, hashes=2):
    """RAPPOR that sends its permanent response, at this ε."""
    return RAPPOR(bits=32, hashes=hashes, cohorts=16, p=0.0, q=1.0, f=2 / (1 + exp(eps / (2 * hashes))))


rows, items = [], np.arange(study.ITEMS)
for eps, one_bit, counts in study.fig5(SUE)[::2]:
    noise = np.sqrt(counts @ bloom(eps).variance(items, items=list(items))) / counts.sum()
    with_filter, without = (100 * sqrt(np.mean(e**2)) for e in (noise, study.standard_errors(one_bit, counts)))
    rows.append([f"{eps:g}", f"{with_filter:.2f}", f"{without:.2f}", f"{with_filter / without:.1f}"])
table(pd.DataFrame(rows, columns=["ε", "error with filters, points", "a bit for every item", "ratio"]))

# %% [markdown]
# With filters, the error at $\varepsilon = 2$ is 3.4 % of the largest share, just above our limit for “close”.
#
# (ye2018-fig-6)=
# (sec-means-figures)=
# ### Fig. 6 · Means at three budgets
#
# {badge}`Reproduced <ye2018.fig6>` a larger budget: {badge}`Reproduced <ye2018.mean-epsilon>` · Lesson: {ref}`sec-means-sample`
#
# A million people have 80 numbers each, integers “drawn at random” from 1 to 400, such that the means are linear.
# If all were uniform from 1 to 400, every attribute would have the mean 200.5.
# Ours are uniform on the widest range around a mean that rises from 60 to 340.
# The survey calls the estimates far off at a small budget, and very close at a larger one.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-means-six", "caption": "Fig. 6 at the survey's size: means of 80 attributes of a million people, by Harmony-Mean. Line: truth. Marks: estimates in one survey, with 95 % intervals from the variance formula."}, "image": {"alt": "Three panels for epsilon 0.1, 0.5 and 2: estimates of 80 means around a rising line from 60 to 340. At 0.1 they scatter by some 40 units, at 0.5 by 7, and at 2 they lie on the line."}}
means = numbers.surveyed(HarmonyMean, (0.1, 0.5, 1.0, 2.0), rng=rng.spawn(1)[0])


def around(found, by, title):
    """Estimates of all attributes around the truth, in a panel for each value of `by`."""
    cases = list(found[by].unique())
    fig, axes = plt.subplots(len(cases), 1, figsize=(6.4, 7.4), sharex=True)
    for ax, case in zip(axes, cases, strict=True):
        part = found[found[by] == case]
        ax.errorbar(
            part["attribute"], part["estimate"], yerr=1.96 * part["stated"], fmt="none", color="#D55E00", linewidth=1
        )
        sns.scatterplot(part, x="attribute", y="estimate", color="#D55E00", s=16, linewidth=0, ax=ax, label="estimate")
        sns.lineplot(part, x="attribute", y="truth", color="#0072B2", zorder=3, ax=ax, label="truth")
        ax.set(title=title(case), ylabel="mean value", ylim=(-120, 480))
        ax.legend().set_visible(ax is axes[0])
    plt.show()


million = means[means["n"] == 10**6]
around(million[million["ε"] != 1], "ε", lambda eps: f"ε = {eps:g}")

# %% tags=["hide-input"]
errors = numbers.errors(means)
shown = (100 * errors).round(2).reset_index()
shown.columns = ["ε", "people", "error, % of the range", "by formula"]
table(shown.assign(ε=shown["ε"].map("{:g}".format), people=shown["people"].map("{:,}".format)))

# %% [markdown]
# (ye2018-fig-7)=
# ### Fig. 7 · Probability of the truth against ε
#
# {badge}`Reproduced <ye2018.fig7>` · Lesson: {ref}`sec-rr-privacy`
#
# For W-RR, ε determines the probability $p$ of a true answer.
# Solve $\varepsilon = \ln\frac{p}{1-p}$ for $p$:
#
# $$ \begin{aligned}
# e^\varepsilon (1-p) &= p, \\
# p &= \frac{e^\varepsilon}{1+e^\varepsilon}.
# \end{aligned} $$
#
# The survey adds that a larger $p$ makes the data more useful.
# The standard error of the corrected share of yes, over $n$ answers, has the closed form
#
# $$ \frac{\sqrt{p(1-p)}}{(2p-1)\sqrt n} = \frac{1}{2\sinh(\varepsilon/2)\,\sqrt n}, $$
#
# which falls as ε grows.


# %%
def wrr(truth, rng, eps):
    """Warner's randomized response."""
    return truth if toss(exp(eps) / (1 + exp(eps)), rng) else not truth


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rr-p", "caption": "Fig. 7: probability p of the truth against ε. It is above 0.99 from ε = 5 on. Dots: the law of the client above."}, "image": {"alt": "Line plot of the probability of the truth against epsilon from 0 to 10. The line rises from 0.5, passes 0.73 at epsilon 1 and 0.88 at 2, and flattens near 1 beyond 6. Dots lie on it."}}
def honest(client):
    """Probability of a true answer, from the client's law."""
    return float(laws(client, [True])[0][True])


BUDGETS = (0.1, 0.5, 1, 2, 5, 8)
curve = pd.DataFrame({"eps": np.linspace(0, 10, 201)})
curve["p"] = np.exp(curve["eps"]) / (1 + np.exp(curve["eps"]))
ax = sns.lineplot(curve, x="eps", y="p", color="#0072B2")
for eps in BUDGETS:
    p = honest(partial(wrr, eps=eps))
    ax.plot(eps, p, "o", color="#0072B2")
    ax.annotate(f"{p:.3f}", (eps, p), xytext=(6, -14), textcoords="offset points")
ax.set(xlabel="privacy budget ε", ylabel="probability p of the truth", xlim=(0, 10), ylim=(0.48, 1.02))
plt.show()

# %% [markdown]
# (ye2018-fig-8)=
# ### Fig. 8 · Frequencies for three numbers of people
#
# {badge}`Reproduced under conditions <ye2018.fig8>` the number of people: {badge}`Slip · certain` · Lesson: {ref}`ch-frequency`
#
# The budget is $\varepsilon = 1$, and the frequencies of the 50 strings fall exponentially.
# One sentence says that $10^6$ people are simulated, the next that there are three data sets of $10^4$, $10^5$ and $10^6$.
# The survey calls the estimates far off for $10^4$, and close for $10^6$.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-freq-fig8", "caption": "Fig. 8 at the survey's size: ε = 1, exponential frequencies of 50 items, three numbers of people. Bars, marks and intervals as in Fig. 5."}, "image": {"alt": "Three panels of 50 bars falling exponentially, with estimates as marks. With ten thousand people the marks scatter by 2 points, with a hundred thousand by 0.6, with a million by 0.2 points around the bars."}}
fig8 = study.surveyed(study.fig8(SUE), rng=rng, name="n")
panels(fig8, "n", lambda n: f"n = {n:,}")

# %% tags=["hide-input"]
summary(fig8, "n", "people")

# %% [markdown]
# The survey explains the figure by the law of large numbers.
# By the variance, ten times as many people divide the error by $\sqrt{10} \approx 3.2$.
# With $10^4$ people the error is 21 % of the largest share.
# On a curve that falls by a factor e over 25 items, it is above 40 %.
#
# (ye2018-fig-9)=
# ### Fig. 9 · Means for three numbers of people
#
# {badge}`Reproduced <ye2018.fig9>` four data sets for three: {badge}`Slip · certain` · Lesson: {ref}`sec-means-sample`
#
# As in Fig. 6, but at $\varepsilon = 1$.
# The survey announces four data sets, but names three, of $10^4$, $10^5$ and $10^6$ people.
# It calls the deviation large for few people, and the estimates very close for many.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-means-nine", "caption": "Fig. 9 at the survey's size: ε = 1, three numbers of people. Line, marks and intervals as in Fig. 6."}, "image": {"alt": "Three panels for 10,000, 100,000 and 1,000,000 people: estimates scatter by some 40 units around the rising line of true means in the first panel, by 13 in the second, and lie close to it in the third."}}
around(means[means["ε"] == 1], "n", lambda n: f"{n:,} people")

# %% [markdown]
# The errors are in the table below Fig. 6.
# By {ref}`§4.2 (f) <ye2018-4-2-f>`, the variance is about $\frac{dc^2}{n}$, so these errors fall as in Fig. 8.
# The verdicts on Figs. 6 and 9 rest on 2,000 simulations for each case, with people drawn anew.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §4.4: 5 reproduced, 1 reproduced under conditions"}
five, eight = (study.mean_squares(cases(SUE), rng=rng) for cases in (study.fig5, study.fig8))


def by_formula(found, factor=1):
    """Whether each mean square error is `factor` times that of the formula, within six standard errors."""
    return bool((np.abs(found["square"] - factor * found["formula"]) < 6 * found["sem"]).all())


def beside_the_largest(found):
    """Root mean square errors, as parts of the largest share."""
    return (found["error"] / found["largest"]).tolist()


def far_off(found):
    return beside_the_largest(found)[0] > 0.4


def close_to_truth(found):
    return beside_the_largest(found)[2] < 0.03


def falls(found):
    """Whether each error is below 0.9 times the one before."""
    error = found["error"].to_numpy()
    return bool((error[1:] < 0.9 * error[:-1]).all())


deaf = study.mean_squares(study.fig5(lambda k, epsilon: SUE(k=k, epsilon=0.5)), rng=rng, trials=200)
settle(
    "ye2018.fig5",
    {
        "small-epsilon": far_off(five),
        "large-epsilon": close_to_truth(five),
        "falls": falls(five),
        "formula": by_formula(five),  # three two-sided tests at six standard errors: a false alarm below 1e-8
    },
    control=(
        "clients that take every budget for 0.5; half the variance",
        not far_off(deaf) and not close_to_truth(deaf) and not falls(deaf) and not by_formula(five, 0.5),
    ),
)


def root_n(found):
    error = found["error"].tolist()
    return all(isclose(error[i] / error[i + 1], sqrt(10), rel_tol=0.02) for i in (0, 1))


flat = study.population(np.exp(-np.arange(study.ITEMS) / 25), 10**4)  # the survey gives no width
flatter = study.mean_squares([(10**4, SUE(k=study.ITEMS, epsilon=1.0), flat)], rng=rng.spawn(1)[0])
still = study.mean_squares([study.fig8(SUE)[0]] * 3, rng=rng.spawn(1)[0], trials=200)
settle(
    "ye2018.fig8",
    {
        "few-people": far_off(eight),
        "flat-curve": far_off(flatter),
        "many-people": close_to_truth(eight),
        "falls": falls(eight),
        "root-n": root_n(eight),
        "formula": by_formula(eight),
    },
    control=(
        "10⁴ people three times; a million people at the three budgets of Fig. 5; half the variance",
        not falls(still) and not root_n(five) and not by_formula(eight, 0.5) and not close_to_truth(still),
    ),
)


def rises(make):
    """Whether the probability of the truth is printed p, and rises from 1/2 towards 1."""
    found = [honest(make(eps)) for eps in (0, *BUDGETS, 15)]
    printed = [exp(eps) / (1 + exp(eps)) for eps in (0, *BUDGETS, 15)]
    return np.allclose(found, printed) and found == sorted(found) and found[0] == 0.5 and 0.9999 < found[-1] < 1


def spread(make, eps):
    """Variance of one answer's unbiased score, from the client's law and its exact ε."""
    found = laws(make(eps), [True, False])
    p = exp(epsilon(found)) / (1 + exp(epsilon(found)))
    return moments(make(eps), [True], score=lambda y: (float(y) - (1 - p)) / (2 * p - 1))[1].item()


def useful(make):
    """Whether the standard error is the displayed one, and falls."""
    found = [sqrt(spread(make, eps)) for eps in BUDGETS]
    shown = [1 / (2 * np.sinh(eps / 2)) for eps in BUDGETS]
    return np.allclose(found, shown) and found == sorted(found, reverse=True)


def warner(eps):
    return partial(wrr, eps=eps)


def halved(eps):
    return partial(wrr, eps=eps / 2)


settle(
    "ye2018.fig7",
    {"rises": rises(warner), "falls": useful(warner)},
    control=("half the budget", not rises(halved) and not useful(halved)),
)


BUDGETS_6, PEOPLE_9 = (0.1, 0.5, 1.0, 2.0), (10**4, 10**5, 10**6)


def harmonies(budgets):
    """A million people at each budget."""
    return [(eps, HarmonyMean(d=80, epsilon=eps), 10**6) for eps in budgets]


six = numbers.mean_squares(harmonies(BUDGETS_6), rng=rng)
nine = numbers.mean_squares([(n, HarmonyMean(d=80, epsilon=1.0), n) for n in PEOPLE_9], rng=rng)
deaf_six, still_nine = (
    numbers.mean_squares(case, rng=rng, trials=200)
    for case in (harmonies([0.5] * 4), [(n, HarmonyMean(d=80, epsilon=1.0), 10**4) for n in PEOPLE_9])
)


def far_of_range(found):
    """Whether the first error is over 5 % of the range, that is 0.1 half ranges."""
    return found["error"].iloc[0] / 2 > 0.05


def near_of_range(found):
    return found["error"].iloc[-1] / 2 < 0.01


settle(
    "ye2018.fig6",
    {
        "small-epsilon": far_of_range(six),
        "large-epsilon": near_of_range(six),
        "formula": by_formula(six),  # four two-sided tests at six standard errors
    },
    control=(
        "clients that take every budget for 0.5; half the variance",
        not far_of_range(deaf_six) and not near_of_range(deaf_six) and not by_formula(six, 0.5),
    ),
)
settle(
    "ye2018.mean-epsilon",
    {"falls": falls(six)},
    control=("clients that take every budget for 0.5", not falls(deaf_six)),
)
settle(
    "ye2018.fig9",
    {
        "few-people": far_of_range(nine),
        "many-people": nine["error"].iloc[-1] / 2 < 0.01,
        "falls": falls(nine),
        "root-n": root_n(nine),
        "formula": by_formula(nine),
    },
    control=(
        "10⁴ people three times; a million people at three budgets; half the variance",
        not falls(still_nine)
        and not still_nine["error"].iloc[-1] / 2 < 0.01
        and not far_of_range(six[1:])
        and not root_n(six)
        and not by_formula(nine, 0.5),
    ),
)
close("ye2018", "§4.4", "5 reproduced, 1 reproduced under conditions")
