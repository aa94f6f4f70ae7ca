"""The catalogue of candidate checks and the tables of the campaign agree.

adversarial/catalogue.json holds every row of the catalogue that the campaign was designed from, with what became of it:
`check` names checks that exist, `not-applicable` and `later` give a reason. No row may get lost. Every probe is used
by a table.
"""

import json
import re

ROWS = {"first": 92, "second": 53, "informational": 6}
ID = re.compile(r'^id = "([^"]+)"', re.M)
USED = re.compile(r'\b(?:probe|benign) = "([^"]+)"')


def _row(row, ids, name):
    where = f"{name}: {row.get('id', '?')}"
    if row.get("state") == "check":
        if not row.get("checks"):
            yield f"{where} names no check"
        for check_id in row.get("checks", []):
            if check_id not in ids:
                yield f"{where} names the check `{check_id}`, which no table has"
    elif row.get("state") not in ("not-applicable", "later"):
        yield f"{where} has the unknown state `{row.get('state')}`"
    elif len(row.get("reason", "")) < 20:
        yield f"{where} gives no reason"


def check(tree):
    tables = [text for _, text in tree.matching("campaign/checks/*.toml")]
    ids = {found for text in tables for found in ID.findall(text)}
    for name, text in tree.matching("adversarial/catalogue.json"):
        rows = json.loads(text)
        counts = {tier: sum(row.get("tier") == tier for row in rows) for tier in ROWS}
        if counts != ROWS or len({row.get("id") for row in rows}) != sum(ROWS.values()):
            yield f"{name}: has {counts} rows, not {ROWS}, or an id twice"
        for row in rows:
            yield from _row(row, ids, name)
    used = {found for text in tables for found in USED.findall(text)} | {"prelude.py"}
    for name, _ in tree.matching("adversarial/programs/probes/*.py"):
        if name.rsplit("/", 1)[1] not in used:
            yield f"{name}: no table of campaign/checks uses it"


def _rows(**changed):
    rows = [{"id": f"{tier}.{n}", "tier": tier, "state": "check", "checks": ["a.b"]}
            for tier, count in ROWS.items() for n in range(count)]
    rows[0].update(changed)
    return json.dumps(rows)


_TABLE = {"campaign/checks/restrictions/a.toml": '[[check]]\nid = "a.b"\nprobe = "a.py"\n',
          "adversarial/programs/probes/a.py": "end('x')\n"}
SEEDED = {
    "a row lost": {**_TABLE, "adversarial/catalogue.json": json.dumps(json.loads(_rows())[1:])},
    "an id twice": {**_TABLE, "adversarial/catalogue.json": _rows(id="first.1")},
    "no such check": {**_TABLE, "adversarial/catalogue.json": _rows(checks=["a.c"])},
    "no reason": {**_TABLE, "adversarial/catalogue.json": _rows(state="later", reason="")},
    "unknown state": {**_TABLE, "adversarial/catalogue.json": _rows(state="done")},
    "unused probe": {**_TABLE, "adversarial/catalogue.json": _rows(), "adversarial/programs/probes/b.py": "\n"},
}
CLEAN = {**_TABLE, "adversarial/catalogue.json": _rows(), "adversarial/programs/probes/prelude.py": "\n"}
