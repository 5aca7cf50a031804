"""A term of the glossary says what it means, when it is pointed at or reached by the keyboard.

In the notebooks the first mention of a term becomes a link to its entry. The meaning goes into the link's title, as the
bibliography's entries do, so that it is there without a network and without scripts; custom.js shows both in a box that
opens for the keyboard, too.
"""

import re

from docutils import nodes

GLOSSARY = "book/glossary"
EVERYDAY = {  # terms whose words mean something else, too: they are linked by hand alone
    *("ball", "batch", "candidate", "cell", "claim", "condition", "control", "distortion", "domain", "dummy"),
    *("frequency", "guard", "Harmony", "history", "in step", "interactive", "law", "loss", "panel", "parents"),
    *(
        "parity",
        "partition",
        "precision",
        "query",
        "rate",
        "record",
        "report",
        "risk",
        "seed",
        "slot",
        "source",
        "support",
    ),
    *("token", "utility"),
}
ALIASES = {"distribution (law)": "law"}
QUIET = (nodes.title, nodes.reference, nodes.literal, nodes.math, nodes.raw, nodes.target, nodes.term, nodes.rubric)
SIGNS = {r"\varepsilon": "ε", r"\ell": "ℓ", r"\pi": "π", r"\rho": "ρ", r"\omega": "ω", r"\sum": "Σ", r"\mid": "|"}
SIGNS |= {r"\ln": "ln ", r"\log": "log", r"\Pr": "Pr", r"\frac12": "½", r"\hat Q": "Q̂"}
FRACTION = re.compile(r"\\frac\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}")


def plain(formula):
    """Write a short formula of the glossary without LaTeX, for one line of text."""
    formula = FRACTION.sub(r"(\1)/(\2)", formula)
    for command, sign in SIGNS.items():
        formula = formula.replace(command, sign)
    if "\\" in formula:
        raise ValueError(f"the formula {formula!r} of the glossary has a command that hover.SIGNS does not know")
    return re.sub(r"[{}]", "", formula).strip()


def meaning(definition):
    """Return the words of a glossary's entry in one line, without the Chinese names before the break."""
    definition = definition.deepcopy()
    for formula in list(definition.findall(nodes.math)):
        formula.parent.replace(formula, nodes.Text(plain(formula.astext())))
    if breaks := [raw for raw in definition.findall(nodes.raw) if raw.astext().strip() in ("<br />", "\\\\")]:
        names = breaks[-1].parent
        names.children = names.children[names.index(breaks[-1]) + 1 :]
    words = " ".join(p.astext() for p in definition.findall(nodes.paragraph))
    return " ".join(words.split())


def meanings(app, env):
    """Read the glossary when all pages are read."""
    env.glossary_meanings, env.glossary_terms = {}, {}  # {anchor: meaning}, {term: anchor}
    if GLOSSARY in env.found_docs:
        for item in env.get_doctree(GLOSSARY).findall(nodes.definition_list_item):
            for term in item.findall(nodes.term):
                env.glossary_meanings[term["ids"][0]] = meaning(item[-1])
                env.glossary_terms[term.astext()] = term["ids"][0]
        env.glossary_terms.update((alias, env.glossary_terms[term]) for alias, term in ALIASES.items())


def wanted(terms):
    """Return a pattern that finds the terms in running text, longer ones first, plurals and capitals too."""
    found = sorted({*terms, *ALIASES} - EVERYDAY, key=len, reverse=True)
    either = (re.escape(t) if t[0].isupper() else f"[{t[0]}{t[0].upper()}]{re.escape(t[1:])}" for t in found)
    return re.compile(rf"(?<![\w–-])(?:{'|'.join(either)})(?:es|s)?(?![\w–-])")


def which(words, terms):
    """Return the term that these words are a form of."""
    forms = [words, words.removesuffix("s"), words.removesuffix("es")]
    return next(term for form in forms for term in (form, form[0].lower() + form[1:]) if term in terms)


def link_first_mentions(app, doctree, document):
    """Make the first mention of each term a link to its entry."""
    terms, met = app.env.glossary_terms, set()
    pattern, home = wanted(terms), app.builder.get_relative_uri(document, GLOSSARY)
    for text in list(doctree.findall(nodes.Text)):
        above, node = [], text.parent
        while node is not None:
            above.append(node)
            node = node.parent
        if not any(isinstance(n, nodes.paragraph) for n in above) or any(
            isinstance(n, QUIET) or "zh" in n.get("classes", ()) for n in above
        ):
            continue
        parts, end = [], 0
        for match in pattern.finditer(text.astext()):
            term = which(match[0], terms)
            if term not in met:
                met.add(term)
                link = nodes.reference("", match[0], refuri=f"{home}#{terms[term]}", internal=True, classes=["glossed"])
                parts += [nodes.Text(text.astext()[end : match.start()]), link]
                end = match.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text.astext()[end:])])


def say(app, doctree, document):
    """Link first mentions in the notebooks, and give each link to a term its meaning."""
    if not app.env.glossary_meanings:
        return
    if document.startswith("notebooks/"):
        link_first_mentions(app, doctree, document)
    for link in doctree.findall(nodes.reference):
        anchor = link.get("refid") or link.get("refuri", "").partition("#")[2]
        if anchor in app.env.glossary_meanings:
            link["reftitle"] = app.env.glossary_meanings[anchor]


def setup(app):
    app.connect("env-updated", meanings)
    app.connect("doctree-resolved", say)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
