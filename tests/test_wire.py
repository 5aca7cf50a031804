"""The wire format: reports come back as they were, what is not a report is refused with its line and field, and vectors
agree with the package and with the client in JavaScript."""

import base64
import json
import math
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import vectors as tool
from mechanisms import CATALOGUE
from scipy.stats import binom

from ldpnb import GRR, OLH, OUE, RAPPOR, HadamardBit, OneOf, SHist, SubsetSelection, Survey
from ldpnb.attributes import DrawnAttributes
from ldpnb.chance import freeze
from ldpnb.core import Example
from ldpnb.keyvalue import PCKVUE
from ldpnb.numbers import MeanEst
from ldpnb.choose import catalogue
from ldpnb.collecting import from_wire, header, schema, to_wire, vectors, wire
from ldpnb.sets import PrivSet
from ldpnb.strings import Unknown
from ldpnb.verify import laws

ROOT = Path(__file__).resolve().parent.parent
RNG = np.random.default_rng
BIT = HadamardBit(k=50, epsilon=1.0)
ITEM = GRR(k=3, epsilon=1.0)
FILTER = RAPPOR(bits=4, hashes=1, cohorts=2, f=0.5, p=0.25, q=0.75)
HASH = OLH(k=100, epsilon=1.0)
HUGE = SHist(k=3, epsilon=1.0, m=2**62)


def text_of(mechanism, *lines, **changed):
    """Reports in a text, under the header of a mechanism."""
    head = header(mechanism) | changed
    return "\n".join([json.dumps(head), *lines])


# ----------------------------------------------------------------------------------------------------- round trips


@pytest.mark.parametrize("name", CATALOGUE)
def test_reports_come_back(name):
    entry = CATALOGUE[name]
    for example in entry.kind.example():
        mechanism = replace(example.mechanism, packed=True) if entry.packed else example.mechanism
        reports = mechanism.perturb(example.inputs, rng=RNG(1))
        lines = [*to_wire(reports, mechanism, label="Frühling")]
        for given in (lines, "".join(lines), [line.rstrip() for line in lines], "".join(lines).replace("\n", "\r\n")):
            found = from_wire(given, mechanism, label="Frühling")
            assert (found.dtype, found.shape) == (reports.dtype, reports.shape)
            assert np.array_equal(found, reports)
        assert len(from_wire(lines[:1], mechanism, label="Frühling")) == 0


def test_lines_are_what_the_page_says():
    def written(mechanism, reports):
        return [line.rstrip() for line in to_wire(np.array(reports, mechanism.dtype), mechanism)][1:]

    head = '{"ldpnb":"reports","form":1,"mechanism":"GRR(k=3, epsilon=1.0)","label":"","fields":["report"]}'
    assert [*to_wire(np.array([2]), ITEM)] == [f"{head}\n", '{"report":2}\n']
    assert written(BIT, [(63, True)]) == ['{"row":63,"bit":true}']
    assert written(HASH, [((1, 2, 2**31 - 2), 3)]) == ['{"seed":[1,2,2147483646],"slot":3}']
    assert written(FILTER, [(1, [1, 0, 0, 1])]) == ['{"cohort":1,"bits":"1001"}']
    assert written(HUGE, [(2**53 + 1, False), (0, True)]) == [
        '{"row":"9007199254740993","bit":false}',
        '{"row":"0","bit":true}',
    ]
    packed = OUE(k=11, epsilon=1.0, packed=True)  # item 0 is the lowest bit of the first byte
    assert [*to_wire(np.array([[3, 4]], np.uint8), packed)][1] == '{"report":"0304"}\n'
    assert [*to_wire(np.array([[1, -1]], np.int8), MeanEst(epsilon=1.0, d=2))][1] == '{"report":[1,-1]}\n'
    grams = Unknown(alphabet="_ab", length=2, gram=1, slots=2, epsilon=1.0, bits=2, hashes=1, cohorts=1)
    report = (0, [0, 1], [1, 0], [[1, 0, 0], [0, 1, 1]])
    assert written(grams, [report]) == ['{"cohort":0,"positions":[0,1],"bits":"10","grams":["100","011"]}']


def test_the_schema_says_how_fields_are_written():
    row, bit = schema(HUGE)["fields"]
    assert (row["public"], row["type"], row["least"], row["most"]) == (True, "integer", 0, str(2**62 - 1))
    assert row["json"] == f"an integer in [0, {2**62}), as a decimal string"
    assert (bit["public"], bit["type"], bit["json"], bit["parquet"]) == (False, "bit", "true or false", "bool")
    assert schema(BIT)["fields"][0]["most"] == 63
    assert schema(PCKVUE(d=2, epsilon=1.0, ell=1))["fields"] == [
        {
            "field": "report",
            "public": False,
            "type": "integer",
            "least": -1,
            "most": 1,
            "shape": [3],
            "json": "-1, 0 or 1",
            "parquet": "fixed_len_byte_array(3)",
        }
    ]


@pytest.mark.parametrize("values, wide", [(2**53, False), (2**53 + 1, True)])
def test_integers_that_javascript_would_change_are_strings(values, wide):
    mechanism = SHist(k=3, epsilon=1.0, m=values)
    reports = np.array([(values - 1, True)], mechanism.dtype)
    (line,) = [*to_wire(reports, mechanism)][1:]
    assert json.loads(line)["row"] == (str(values - 1) if wide else values - 1)
    assert from_wire(text_of(mechanism, line), mechanism) == reports


def test_a_new_mechanism_is_on_the_wire_at_once_and_another_kind_of_field_is_refused():
    @dataclass(frozen=True, kw_only=True)
    class Own(GRR):
        kind = np.int64

        @property
        def layout(self):
            return {"where": (self.kind, 7, 2), "report": (np.int64, self.k)}

        def tally(self, reports):
            return self._reports(reports)

    mechanism = Own(k=3, epsilon=1.0)
    reports = np.array([([1, 6], 2)], mechanism.dtype)
    assert [*to_wire(reports, mechanism)][1] == '{"where":[1,6],"report":2}\n'
    assert from_wire(to_wire(reports, mechanism), mechanism) == reports
    for kind in (np.float64, np.int8):
        Own.kind = kind
        with pytest.raises(
            ValueError, match=f"^where must be bits, integers or int8 signs to be written, got {kind.__name__}"
        ):
            schema(mechanism)


# ------------------------------------------------------------------------------------------------------- Parquet


def test_columns_of_a_partition_are_those_of_the_schema(tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'ldpnb[scale]'")
    import pyarrow.parquet as pq

    from ldpnb.collecting import save

    kinds = {"BOOLEAN": "bool", "INT64": "int64", "INT32": "integer of up to 32 bits"}
    for i, mechanism in enumerate([ITEM, BIT, HASH, FILTER, OUE(k=11, epsilon=1.0, packed=True), HUGE]):
        reports = mechanism._nothing()
        save(reports, tmp_path / f"{i}", mechanism)
        columns = pq.ParquetFile(tmp_path / f"{i}").schema
        fields = schema(mechanism)["fields"]
        assert [column.name for column in columns] == [field["field"] for field in fields]
        for column, field in zip(columns, fields, strict=True):
            fixed = column.physical_type == "FIXED_LEN_BYTE_ARRAY"
            assert field["parquet"] == (
                f"fixed_len_byte_array({column.length})" if fixed else kinds[column.physical_type]
            )
    save(np.array([(1, [1, 0, 0, 0])], FILTER.dtype), tmp_path / "bits", FILTER)
    save(np.array([([1, 256, 0], 3)], HASH.dtype), tmp_path / "words", HASH)
    assert pq.read_table(tmp_path / "bits")["bits"].to_pylist() == [b"\x80"]
    assert pq.read_table(tmp_path / "words")["seed"].to_pylist() == [bytes([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])]


# ------------------------------------------------------------------------------------------------------ refusals


ROW = "row must be an integer in [0, 64), got"
REFUSED = [
    (
        DrawnAttributes(sizes=(3, 3), order=1, oracle=SubsetSelection(k=3, epsilon=1.0)),
        '{"attributes":1,"report":"111"}',
        "reports must have 1 bits set in each row, got 3",
    ),
    (BIT, '{"row":1.9,"bit":true}', f"{ROW} 1.9"),
    (BIT, '{"row":1.0,"bit":true}', f"{ROW} 1.0"),
    (BIT, '{"row":1e1,"bit":true}', f"{ROW} 10.0"),
    (BIT, '{"row":"1","bit":true}', f'{ROW} "1"'),
    (BIT, '{"row":true,"bit":true}', f"{ROW} true"),
    (BIT, '{"row":null,"bit":true}', f"{ROW} null"),
    (BIT, '{"row":[1],"bit":true}', f"{ROW} [1]"),
    (BIT, '{"row":64,"bit":true}', f"{ROW} 64"),
    (BIT, '{"row":-1,"bit":true}', f"{ROW} -1"),
    (BIT, '{"row":1,"bit":"false"}', 'bit must be true or false, got "false"'),
    (BIT, '{"row":1,"bit":0}', "bit must be true or false, got 0"),
    (BIT, '{"row":1}', 'bit must be there, got the fields ["row"]'),
    (BIT, '{"row":1,"bit":true,"who":7}', 'fields must be ["row", "bit"], got an unknown one, "who"'),
    (BIT, '{"row":1,"row":2,"bit":true}', '"row" must be there once, got it twice'),
    (BIT, '{"row":NaN,"bit":true}', "must be JSON, which has no NaN"),
    (BIT, "[1,true]", "must be a JSON object, got [1, true]"),
    (BIT, "", "must be a JSON object, got an empty line"),
    (BIT, '{"row":1,"bi', 'must be a JSON object, got \'{"row":1,"bi\': Unterminated string starting at at column 10'),
    (ITEM, '{"report":3}', "report must be an integer in [0, 3), got 3"),
    (ITEM, "2", "must be a JSON object, got 2"),
    (HASH, '{"seed":[1,2],"slot":0}', "seed must be a list of 3, got [1, 2]"),
    (HASH, '{"seed":5,"slot":0}', "seed must be a list of 3, got 5"),
    (
        HASH,
        '{"seed":[1,2,2147483647],"slot":0}',
        "seed[2] must be an integer in [0, 2147483647), got 2147483647",
    ),
    (FILTER, '{"cohort":0,"bits":"01"}', 'bits must be a string of 4 digits 0 or 1, got "01"'),
    (FILTER, '{"cohort":0,"bits":"0121"}', 'bits must be a string of 4 digits 0 or 1, got "0121"'),
    (FILTER, '{"cohort":0,"bits":[0,1,1,0]}', "bits must be a string of 4 digits 0 or 1, got [0, 1, 1, 0]"),
    (
        OUE(k=11, epsilon=1.0, packed=True),
        '{"report":"0G00"}',
        'report must be a string of 4 digits 0-f, got "0G00"',
    ),
    (
        OUE(k=11, epsilon=1.0, packed=True),
        '{"report":"0308"}',
        "reports must have zeros after their 11 bits, got a one",
    ),
    (MeanEst(epsilon=1.0, d=1), '{"report":[0]}', "report[0] must be -1 or 1, got 0"),
    (PCKVUE(d=1, epsilon=1.0, ell=1), '{"report":[0,2]}', "report[1] must be -1, 0 or 1, got 2"),
    (HUGE, '{"row":5,"bit":true}', f"row must be an integer in [0, {2**62}), as a decimal string, got 5"),
    (HUGE, '{"row":"05","bit":true}', f'row must be an integer in [0, {2**62}), as a decimal string, got "05"'),
    (HUGE, '{"row":"٣","bit":true}', f'row must be an integer in [0, {2**62}), as a decimal string, got "\\u0663"'),
    (
        HUGE,
        f'{{"row":"{2**62}","bit":true}}',
        f'row must be an integer in [0, {2**62}), as a decimal string, got "{2**62}"',
    ),
    (
        SubsetSelection(k=4, epsilon=1.0),
        '{"report":"1111"}',
        "reports must have 1 bits set in each row, got 4",
    ),
    (
        PrivSet(d=3, ell=2, epsilon=2.0, size=2),
        '{"report":[1,0]}',
        "reports must be 2 ascending items each, got [1, 0]",
    ),
]


@pytest.mark.parametrize("mechanism, line, said", REFUSED)
def test_what_is_no_report_is_refused_by_line_and_field(mechanism, line, said):
    text = text_of(mechanism, *fine(mechanism, 3), line, *fine(mechanism, 2))
    with pytest.raises(ValueError) as caught:
        from_wire(text, mechanism)
    assert str(caught.value) == f"line 5: {said}"


def fine(mechanism, n):
    """Lines of reports that are right."""
    return [line.rstrip() for line in to_wire(np.repeat(mechanism._worst()[:1], n, axis=0), mechanism)][1:]


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "line 1: there must be a header, got no line at all"),
        ('{"report":1}', 'line 1: ldpnb must be there, got the fields ["report"]'),
        (text_of(ITEM, ldpnb="tally"), 'line 1: ldpnb must be "reports", got "tally"'),
        (text_of(ITEM, form=2), "line 1: form must be 1, got 2"),
        (text_of(ITEM, form=True), "line 1: form must be 1, got true"),
        (text_of(ITEM, form=1.0), "line 1: form must be 1, got 1.0"),
        (text_of(ITEM, label="size"), 'line 1: label must be "", got "size"'),
        (text_of(ITEM, fields=["slot"]), 'line 1: fields must be ["report"], got ["slot"]'),
        (
            text_of(GRR(k=3, epsilon=1.5)),
            'line 1: mechanism must be "GRR(k=3, epsilon=1.0)", got "GRR(k=3, epsilon=1.5)"',
        ),
        (text_of(ITEM, extra=1), "line 1: fields must be"),
    ],
)
def test_another_header_is_refused(text, said):
    with pytest.raises(ValueError) as caught:
        from_wire(text, ITEM)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("line", ["[" * 10**5, '{"report":' + "9" * 10**5 + "}"])
def test_lines_that_trouble_a_parser_are_refused(line):
    with pytest.raises(ValueError, match="^line 2: "):
        from_wire(text_of(ITEM, line), ITEM)


# ----------------------------------------------------------------------------------------- work for a stranger's line


class Counted(str):
    """A name that counts how often it is compared or hashed."""

    asked = Counter()

    def __eq__(self, other):
        self.asked["compared"] += 1
        return str.__eq__(self, other)

    def __hash__(self):
        self.asked["hashed"] += 1
        return str.__hash__(self)


def work(n):
    """How often names are compared and hashed in an object of n names, the last one twice."""
    Counted.asked.clear()
    pairs = [(Counted(f"name {i}"), 1) for i in range(n)] + [(Counted(f"name {n - 1}"), 1)]
    with pytest.raises(ValueError, match=f'^"name {n - 1}" must be there once, got it twice$'):
        wire._unique(pairs)
    return sum(Counted.asked.values())


def test_names_of_an_object_are_looked_at_once():
    """Twice as many names are twice the work: a line of a megabyte is refused as fast as it is read."""
    assert 200 <= work(200) <= 700 and work(400) <= 2.2 * work(200)


@pytest.mark.parametrize("number", ["9" * 41, "-" + "9" * 40, "1." + "0" * 40, "1" + "0" * 100_000, "1e" + "0" * 40])
def test_long_numbers_are_refused_unread(number):
    """Python reads an integer in more than its length, unless it has a limit, which programs lift."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        for line in (f'{{"report":{number}}}', f'{{"report":[[{number}]]}}', f'{{"other":{{"a":{number}}}}}'):
            with pytest.raises(ValueError, match=r"^line 2: numbers must have at most 40 characters, got one of \d+, "):
                from_wire(text_of(ITEM, line), ITEM)
    finally:
        sys.set_int_max_str_digits(limit)


def test_numbers_of_any_field_are_short_enough():
    for entry in CATALOGUE.values():
        for example in entry.kind.example():
            assert all(len(str(field.values)) < wire.DIGITS for field in wire.fields_of(example.mechanism))


@pytest.mark.parametrize("place", [0, 1, 499, 998, 999])
def test_the_wrong_report_is_found_by_judging_few(place, monkeypatch):
    """All reports once, and then half as many each time."""
    judged = []
    keep = wire._judged
    monkeypatch.setattr(wire, "_judged", lambda some, mechanism: judged.append(len(some)) or keep(some, mechanism))
    oracle = SubsetSelection(k=4, epsilon=1.0)
    lines = fine(oracle, 1000)
    lines[place] = '{"report":"1111"}'
    judged.clear()
    with pytest.raises(ValueError, match=f"^line {place + 2}: reports must have 1 bits set in each row, got 4$"):
        from_wire(text_of(oracle, *lines), oracle)
    assert sum(judged) <= 2 * 1000 + 2


def test_a_long_name_makes_no_long_message():
    name = "n" * 10**5
    for line in (f'{{"{name}":1,"{name}":1}}', f'{{"report":1,"{name}":1}}', f'{{"{name}":1}}'):
        with pytest.raises(ValueError) as caught:
            from_wire(text_of(ITEM, line), ITEM)
        assert len(str(caught.value)) < 200


def test_bytes_names_and_wrong_reports_are_refused():
    with pytest.raises(ValueError, match="^lines must be texts, got bytes: open the file with encoding='utf-8'$"):
        from_wire([b"{}"], ITEM)
    with pytest.raises(ValueError, match="^mechanism must be a Mechanism, or a question of a survey, got 'GRR'$"):
        schema("GRR")
    with pytest.raises(ValueError, match=r"^label must be a text, got 7: write str\(label\)$"):
        to_wire(np.array([1]), ITEM, label=7)
    with pytest.raises(ValueError, match=r"^reports must be integers in \[0, 3\), got 3$"):
        to_wire(np.array([3]), ITEM)  # at once, not at the first line


def test_the_header_is_the_first_line():
    for mechanism in (ITEM, FILTER, HUGE):
        assert json.loads(next(to_wire(mechanism._nothing(), mechanism, label="Frühling"))) == header(
            mechanism, "Frühling"
        )
    with pytest.raises(ValueError, match=r"^label must be a text, got 7: write str\(label\)$"):
        header(ITEM, 7)


def test_a_question_stands_for_its_mechanism_and_its_identity():
    question = OneOf(["a", "b", "c"], mechanism=ITEM)
    reports = np.array([2, 0])
    lines = [*to_wire(reports, question)]
    assert lines == [*to_wire(reports, ITEM, label=question.identity)] and schema(question) == schema(ITEM)
    assert from_wire(lines, question).tolist() == from_wire(lines, ITEM, label=question.identity).tolist() == [2, 0]
    assert header(question, "mine")["label"] == "mine" != header(question)["label"] == question.identity
    assert from_wire(to_wire(reports, question, label="mine"), ITEM, label="mine").tolist() == [2, 0]
    other = OneOf(["c", "b", "a"], mechanism=ITEM)
    with pytest.raises(ValueError, match="^line 1: label must be"):
        from_wire(lines, other)
    for call in (lambda x: to_wire(reports, x), lambda x: from_wire(lines, x), header, schema):
        with pytest.raises(ValueError, match="^mechanism must be a Mechanism, or a question of a survey, got"):
            call(Survey({"letter": question}, limit=1.0))


# ------------------------------------------------------------------------------------------------------- vectors


MADE = {}


def made():
    """The vectors as they are made now."""
    return MADE or MADE.update((name, json.loads(tool.written(held))) for name, held in tool.contents()) or MADE


def test_files_of_vectors_are_up_to_date_and_small():
    paths = {path.name: path for path in tool.FOLDER.iterdir()}
    assert paths.keys() == made().keys() and {f"{name}.json" for name in catalogue()} < paths.keys()
    old = [name for name in paths if not tool.alike(json.loads(paths[name].read_text("utf-8")), made()[name])]
    assert not old, f"{old} are not what is made now: make vectors; a change of the form needs another version"
    sizes = [path.stat().st_size for path in paths.values()]
    assert max(sizes) < 40_000 and sum(sizes) < 500_000


@pytest.mark.parametrize("name", catalogue())
def test_vectors_say_what_the_package_does(name):
    instances = [one for one in made()[f"{name}.json"]["instances"] if "laws" in one]
    examples = tool.small(catalogue()[name])
    for instance, example in zip(instances[: len(examples)], examples, strict=True):
        agree(instance, example)


def agree(instance, example):
    mechanism, inputs = example.mechanism, example.inputs[: len(instance["values"])]
    assert instance["schema"] == schema(mechanism)
    law = instance["laws"]
    heads = [json.dumps(dict(zip(field_names(mechanism), report, strict=True))) for report in law["reports"]]
    reports = from_wire(text_of(mechanism, *heads), mechanism)
    theirs = [Fraction(p) for p in law["probabilities"]]
    for found, places in zip(laws(mechanism, inputs), law["of"], strict=True):
        ours = {freeze(report): places[i] for i, report in enumerate(reports)}
        assert {key for key, place in ours.items() if place >= 0} == found.keys()
        assert all(p == theirs[ours[key]] for key, p in found.items())
    assert {tuple(c["chance"] for c in b["choices"]) for b in instance["branches"]["some"]}


@pytest.mark.parametrize("name", ["GRR", "SUE", "OUE", "HadamardBit", "SubsetSelection", "StateEncoding", "PrivSet"])
def test_two_things_are_followed_by_more_at_another_epsilon(name):
    """So that a client, or a server, with a 2 written into it fails."""
    (two, one), (more, other) = ((tool.things(x), x.mechanism.epsilon) for x in tool.small(catalogue()[name]))
    assert two == 2 < more and one != other


def field_names(mechanism):
    return [field["field"] for field in schema(mechanism)["fields"]]


def test_vectors_of_an_own_mechanism():
    found = vectors(Example(GRR(k=5, epsilon=0.5), np.array([4, 0])))
    assert found["laws"]["of"][0][4] == found["laws"]["of"][1][0] and found["values"] == [4, 0]


# ------------------------------------------------------------------------------------------------------- the client


CLIENT, HARNESS = ROOT / "book" / "examples" / "javascript" / "client.mjs", ROOT / "tests" / "client.mjs"
PEOPLE = 20_000
SMALL = OLH.example()[0].mechanism
FOUR = GRR(k=4, epsilon=1.0)


def numbers(mechanism):
    """What a client has to know: from the package, as the page shows."""
    if isinstance(mechanism, GRR):
        return {"k": mechanism.k, "keep": str(int(mechanism.keep * 2**53))}
    keep = str(int(mechanism.slots.keep * 2**53))
    return {"k": mechanism.k, "slots": mechanism.slot_count, "prime": mechanism.prime, "keep": keep}


def tasks():
    found = {}
    for kind in (GRR, OLH):
        name = kind.__name__
        for i, instance in enumerate(made()[f"{name}.json"]["instances"]):
            own = [example.mechanism for example in tool.small(kind)]
            mechanism = next(m for m in (*own, HASH) if schema(m) == instance["schema"])
            task = {"kind": name, "numbers": numbers(mechanism)}
            if "public" in instance:
                found[f"slots {i}"] = task | {"what": "slots", "public": instance["public"]}
            if "branches" in instance:
                found[f"replay {name} {i}"] = task | {"what": "replay", **instance["branches"]}
    for mechanism, values in ((FOUR, [2]), (SMALL, [1]), (HASH, [7, 7, 7, 50])):
        head = next(to_wire(mechanism._nothing(), mechanism)).rstrip()
        if mechanism is SMALL:
            head = header(mechanism)  # an object
        task = {"kind": type(mechanism).__name__, "numbers": numbers(mechanism), "header": head}
        found[f"reports {mechanism}"] = task | {"what": "reports", "values": values * (PEOPLE // len(values))}
    wrong = [4, -1, 1.5, "1", None, True]
    found["refused"] = {"what": "refused", "kind": "GRR", "numbers": numbers(FOUR), "values": wrong}
    return found


def in_node(given, client=CLIENT):
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node here: the client in JavaScript is tested in the browser alone")
    program = f"""
        import * as client from {json.dumps(client.as_uri())};
        import {{run}} from {json.dumps(HARNESS.as_uri())};
        import {{readFileSync}} from "node:fs";
        globalThis.crypto ??= (await import("node:crypto")).webcrypto;
        const tasks = JSON.parse(readFileSync(0, "utf-8"));
        const found = Object.entries(tasks).map(([name, task]) => [name, run(client, task)]);
        process.stdout.write(JSON.stringify(Object.fromEntries(found)));
    """
    done = subprocess.run(
        [node, "--input-type=module", "-e", program],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def in_browser(given, browser):
    page = browser.new_page()
    try:
        texts = [base64.b64encode(path.read_bytes()).decode() for path in (CLIENT, HARNESS)]
        program = """async ([texts, tasks]) => {
            const load = text => import('data:text/javascript;base64,' + text);
            const [client, {run}] = await Promise.all(texts.map(load));
            return Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, run(client, task)]));
        }"""
        return page.evaluate(program, [texts, given])
    finally:
        page.close()


@pytest.fixture(scope="module", params=["node", pytest.param("browser", marks=pytest.mark.slow)])
def answers(request):
    if request.param == "node":
        return in_node(tasks())
    return in_browser(tasks(), request.getfixturevalue("browser"))


def test_the_client_hashes_and_draws_as_the_vectors_say(answers):
    for name, task in tasks().items():
        if task["what"] == "slots":
            assert answers[name] == [one["slot"] for one in task["public"]]
        if task["what"] == "replay":
            assert answers[name] == [{"report": one["report"], "left": 0} for one in task["some"]]
    assert {"slots 0", "slots 1", "replay GRR 0", "replay GRR 1", "replay OLH 0"} < answers.keys()


def test_the_client_refuses_what_is_no_item(answers):
    shown = ["4", "-1", "1.5", "1", "null", "true"]
    assert answers["refused"] == [f"value must be an integer in [0, 3], got {x}" for x in shown]


@pytest.mark.parametrize(
    "text, other, fails",
    [
        ("seed.map(BigInt)", "seed.map((x) => BigInt.asUintN(30, BigInt(x)))", "slots 1"),
        ("(a * v * v + b * v + c) % p", "(a * v + b * v + c) % p", "slots 0"),
        ("kept ? value : blind", "kept ? blind : value", "replay GRR 1"),
        ("this.slots.perturb(own, chance)", "this.slots.perturb(value, chance)", "replay OLH 0"),
    ],
)
def test_a_faulty_client_is_caught(tmp_path, text, other, fails):
    code = CLIENT.read_text("utf-8")
    assert code.count(text) == 1
    (tmp_path / "client.mjs").write_text(code.replace(text, other), "utf-8")
    task = tasks()[fails]
    (found,) = in_node({fails: task}, tmp_path / "client.mjs").values()
    if task["what"] == "slots":
        assert found != [one["slot"] for one in task["public"]]
    else:
        assert found != [{"report": one["report"], "left": 0} for one in task["some"]]


def test_a_client_for_two_items_alone_is_caught_by_the_second_instance(tmp_path):
    code, given = CLIENT.read_text("utf-8"), tasks()
    (tmp_path / "client.mjs").write_text(code.replace("chance.below(this.k)", "chance.below(2)"), "utf-8")
    (found,) = in_node({"first": given["replay GRR 0"]}, tmp_path / "client.mjs").values()
    assert found == [{"report": one["report"], "left": 0} for one in given["replay GRR 0"]["some"]]
    with pytest.raises(AssertionError, match="asked for 1/2, the vectors say 1/3"):
        in_node({"second": given["replay GRR 1"]}, tmp_path / "client.mjs")


def strange(law, reports, level=2e-7):
    """Reports that come too often or too rarely: each count is binomial, so that a client that keeps the law is
    complained about with a probability of at most `level`."""
    n, counts = len(reports), Counter(map(freeze, reports))
    cells = {**law, **dict.fromkeys(counts.keys() - law.keys(), 0)}
    tails = {y: min(binom.cdf(counts[y], n, float(p)), binom.sf(counts[y] - 1, n, float(p))) for y, p in cells.items()}
    return [y for y, tail in tails.items() if 2 * tail < level / len(cells)]


def test_reports_of_the_client_follow_the_law_and_estimate(answers):
    for mechanism, other, value in ((FOUR, GRR(k=4, epsilon=1.2), 2), (SMALL, replace(SMALL, epsilon=1.5), 1)):
        reports = [*map(freeze, from_wire(answers[f"reports {mechanism}"], mechanism))]
        assert len(reports) == PEOPLE
        (law,), (wrong,) = laws(mechanism, [value]), laws(other, [value])
        assert strange(law, reports) == []
        told = [own(mechanism, report, value) for report in reports]
        assert strange(own_law(mechanism, law, value), told) == []
        assert strange(own_law(mechanism, wrong, value), told) != []


def own(mechanism, report, value):
    """Whether a report is the person's own item or slot."""
    if mechanism is FOUR:
        return report == value
    seed, slot = report
    return slot == int(mechanism.hash(np.array(seed, np.uint32), value))


def own_law(mechanism, law, value):
    found = Counter()
    for report, p in law.items():
        found[own(mechanism, report, value)] += p
    return found


def test_estimates_from_the_client_are_right(answers):
    reports = from_wire(answers[f"reports {HASH}"], HASH)
    tally = HASH.tally(reports)
    p, q = map(float, HASH.support)
    for item, share in ((7, 0.75), (50, 0.25), (8, 0.0)):  # supporters are two binomials; 1e-7 for each by Hoeffding
        supporters = PEOPLE * (share * p + (1 - share) * q)
        assert abs(tally.counts[item] - supporters) < math.sqrt(PEOPLE * math.log(2 / 1e-7) / 2)
    assert HASH.estimate(tally)[7] > 0.6


def test_one_report_about_very_many_items_costs_no_memory_for_all_of_them():
    mechanism = HadamardBit(k=2**31, epsilon=1.0)  # its tally would take 34 GB
    assert from_wire(text_of(mechanism, '{"row":2147483647,"bit":true}'), mechanism)["row"].tolist() == [2**31 - 1]


def test_bytes_that_are_no_bits_are_refused():
    with pytest.raises(ValueError, match="^bits must be bools, whose bytes are 0 or 1, got a byte 2"):
        to_wire(broken(), FILTER)


def broken():
    """A report with a byte of 2 where a bit should be."""
    reports = FILTER._nothing(1)
    reports["bits"].view(np.uint8)[0, 0] = 2
    return reports


def test_the_page_offers_all_files_of_vectors():
    page = (ROOT / "notebooks" / "manual" / "wire.py").read_text("utf-8")
    offered = re.findall(r"<../../book/vectors/([^>]+)>", page)
    assert sorted(offered) == sorted(path.name for path in tool.FOLDER.iterdir())


def test_modules_are_light():
    code = "from ldpnb.collecting import schema, to_wire; import sys; "
    code += "assert not {'pyarrow', 'pandas', 'numba'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize("name", ["\\ud800", "a\\nline 3: ok", "\\u001b[31m"])
def test_names_from_strangers_are_written_so_that_they_can_be_printed(name):
    """A lone half of a character cannot be encoded, a line break adds a line, and an escape colours a terminal."""
    oracle = HadamardBit(k=50, epsilon=1.0)
    with pytest.raises(ValueError, match="must be there once") as caught:
        from_wire([json.dumps(header(oracle)), f'{{"{name}":1,"{name}":2}}'], oracle)
    text = str(caught.value)
    assert text.isascii() and text.isprintable()


def test_a_text_that_is_no_lines_is_refused_with_what_it_is():
    oracle = HadamardBit(k=50, epsilon=1.0)
    head = json.dumps(header(oracle))
    for wrong, words in (
        ("\ufeff" + head, "line 1: must be a JSON object, got a byte order mark: .*utf-8-sig"),
        (None, "lines must be a text or its lines, got NoneType$"),
        (5, "lines must be a text or its lines, got int$"),
        (f'{head}\n{{"row":{"[" * 10**5}', "line 2: must be a report, got one that is nested too deeply$"),
    ):
        with pytest.raises(ValueError, match=f"^{words}"):
            from_wire(wrong, oracle)
