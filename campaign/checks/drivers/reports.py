"""What a program prints is in the reports of a campaign, and does nothing there. Two small campaigns are run whose
probes say the same, one in tame words and one in hostile ones: the reports must have the same structure.

args["what"]: "html" (the page's elements, attributes and addresses), "xml" (junit.xml is well-formed, its elements), "md"
(lines and columns of summary.md), "ci" (what `campaign run` prints: no line that a CI system takes for a command). The control arm puts the hostile words into the tame report as a renderer that
escapes nothing would.
"""

import collections
import html.parser
import json
import re
import xml.parsers.expat

import prelude
from prelude import ASK, end, is_control, scratch

TAME = "tame words"
HOSTILE = ("<script>alert(1)</script><img src=x onerror=alert(1)></pre></td></table></main><!-- \" onload='x' <style>"
           "<a href=\"javascript:alert(1)\">x</a><base href=http://evil.example/>\n| a | b |\n# heading\n```\n"
           "[x](javascript:alert(1)) ![x](http://evil.example/p.png)\n=cmd|' /C calc'!A1 ]]>]]&gt;&bogus;<?x?><![CDATA["
           "\x00\x01\x08\x0b\x0c\x1b[31m\x7f\x80\x9b\ufffe\uffff\u202e\u2028::error::x\n##vso[task.complete]")
# As much of it as fits into a signature.
SHORT = {"md": "<img src=x>[x](http:x)|a|\n# b\x1b[31m", "ci": "img\n::error::x\r::add-mask::x\n##vso[task.a]\n##[group]"}
TABLE = """
[[check]]
id = "probe.words"
group = "Words"
claim = "A probe may say anything."
engines = ["native"]
probe = "words.py"
ask = {{ text = {text}, signature = {signature} }}
cut = ["proc.closefds"]
needs_canary = true
expect.protected = ["EBADF"]
"""
PROBE = r"""
import os, sys
text = ASK["args"]["text"]
for stream in (1, 2):
    os.write(stream, text.encode() + (b"\xff\xfe\xc0\n" if "<" in text else b"...\n"))
found = None
try:
    found = os.pread(ASK["world"]["fd"], 200, 0).decode()
except OSError:
    pass
# The summary has words of a probe only where its check is not held: its signature.
end("reached" if found else ASK["args"]["signature"], found or text, said=text, **{text: text + "."})
"""


def reports(name, text):
    """The folder of a campaign whose probe says this."""
    signature = "EBADF"
    if ASK["args"]["what"] in SHORT:
        signature = text if text == TAME else SHORT[ASK["args"]["what"]]
    checks, folder = scratch() / f"checks-{name}", scratch() / name
    for part in ("words", "probes", "drivers"):
        (checks / part).mkdir(parents=True)
    (checks / "words" / "words.toml").write_text(TABLE.format(
        text=json.dumps(text), signature=json.dumps(signature)))
    prelude_text = (prelude.source() / "adversarial" / "programs" / "probes" / "prelude.py").read_text()
    (checks / "probes" / "prelude.py").write_text(prelude_text)
    (checks / "probes" / "words.py").write_text(PROBE)
    program = prelude.program("campaign") or prelude.unmet("campaign was not built")
    done = prelude.pybox("run", "--all", "--checks", checks, "--out", folder, binary=program, home=prelude.own_home())
    if done.exit not in (0, 1) or not (folder / "junit.xml").exists():
        end("no-campaign", said=done.said()[-600:])
    (folder / "printed").write_bytes(done.err + done.out)
    return folder


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.wrong = collections.Counter(), []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements[(tag, tuple(sorted(name for name, _ in attributes)))] += 1
        for name, value in attributes:
            if name.startswith("on") or name in ("href", "src", "action", "data") and re.match(r"(?!#|data:,|raw/)\w+:", value or ""):
                self.wrong.append(f"<{tag} {name}={value!r:.60}>")

    def handle_comment(self, data):
        self.elements["comment"] += 1

    def handle_pi(self, data):
        self.elements["processing instruction"] += 1


def look_html(text):
    page = Page(text)
    return page.elements, page.wrong


def look_xml(text):
    elements = collections.Counter()
    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: elements.update([(name, tuple(sorted(attributes)))])
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except xml.parsers.expat.ExpatError as error:
        return elements, [f"it is not well-formed: {error}"]
    return elements, []


def look_md(text):
    """Lines, columns of tables, headings, and what would be a link or an element of HTML."""
    active = re.compile(r"(?<!\\)(?:<[a-zA-Z/!?]|\]\((?:javascript|http))|\x1b")
    bare = re.sub(r"(`+).*?\1", "``", text)
    elements = collections.Counter(len(re.findall(r"(?<!\\)\|", line)) for line in bare.splitlines())
    elements["headings"] = len(re.findall(r"^#", bare, re.M))
    return elements, [f"`{match.group(0)}` is active" for match in active.finditer(bare)]


def look_ci(text):
    return {}, re.findall(r"^[ \t]*(?:::|##)[^\n]*", text.replace("\r", "\n"), re.M)


KINDS = {"ci": ("printed", look_ci), "html": ("report.html", look_html), "xml": ("junit.xml", look_xml), "md": ("summary.md", look_md)}


def work():
    name, look = KINDS[ASK["args"]["what"]]
    tame = (reports("tame", TAME) / name).read_text()
    elements, wrong = look(tame)
    if wrong or TAME not in tame:
        end("tame-report", wrong or "the words are not in it")
    if is_control():
        others, active = look(tame.replace(TAME, SHORT.get(ASK["args"]["what"], HOSTILE)))
    else:
        folder = reports("hostile", HOSTILE)
        shown = (folder / name).read_bytes().decode("utf-8")
        json.loads((folder / "campaign.json").read_bytes()), json.loads((folder / "ctrf.json").read_bytes())
        if "alert" not in shown and "img" not in shown:
            end("not-shown", "the hostile words are not in the report")
        others, active = look(shown)
    differ = [f"{element}: {elements[element]} and {others[element]}" for element in sorted(
        set(elements) | set(others), key=str) if elements[element] != others[element]]
    wrong = active + differ
    end("reached" if wrong else "inert", wrong[0] if wrong else None, found=wrong[:20])


prelude.main(work)
