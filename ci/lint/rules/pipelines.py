"""The files of CI services are YAML, and what they and the scripts call exists: scripts of this tree, the commands of
`campaign` and `pybox`, and their flags."""

import re

from tree import Skipped

SCRIPT = re.compile(r"(?<![\w./$\"])((?:ci|replay|adversarial|campaign)/[\w./-]+)(?=\s|$)", re.M)
CALL = re.compile(r"(?:bin|\$bin|\")/?(campaign|pybox)\"?\s+([a-z][a-z-]*)([^\n|&;)]*)")
FLAG = re.compile(r"(?<!\S)(--?[a-z][a-z-]*)")
COMMANDS = {"campaign": "campaign/cli/cmd_", "pybox": "runtime/cli/commands/"}
WORDS = {"campaign": "campaign/cli/", "pybox": "runtime/cli/*/"}


def _commands(node):
    """Every shell text below `run`, `script`, `before_script` and `after_script`."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("run", "script", "before_script", "after_script"):
                yield from ([value] if isinstance(value, str) else value if isinstance(value, list) else [])
            yield from _commands(value)
    elif isinstance(node, list):
        for item in node:
            yield from _commands(item)


def _calls(tree, where, called):
    for match in SCRIPT.finditer(called):
        if match.group(1) not in tree.files:
            yield f"{where}: {match.group(1)} is not in the tree"
    for program, command, rest in CALL.findall(called):
        source = f"{COMMANDS[program]}{command}.cpp"
        sources = [t for n, t in tree.matching(source, f"{WORDS[program]}{command}_words.cpp")]
        if source not in tree.files:
            yield f"{where}: `{program} {command}` is no command"
            continue
        for flag in FLAG.findall(rest):
            if not any(f'"{flag}"' in text for text in sources):
                yield f"{where}: `{program} {command}` has no flag {flag}"


def check(tree):
    pipelines = list(tree.matching(".github/workflows/*.yml", ".gitlab-ci.yml"))
    if pipelines:
        try:
            import yaml
        except ImportError:
            raise Skipped("python3-yaml is missing; ci/setup --tests installs it") from None
    for name, text in pipelines:
        try:
            pipeline = yaml.safe_load(text)
        except yaml.YAMLError as problem:
            yield f"{name}: is no YAML: {str(problem).splitlines()[0]}"
            continue
        if not isinstance(pipeline, dict) or not any(True for _ in _commands(pipeline)):
            yield f"{name}: calls nothing"
            continue
        for command in _commands(pipeline):
            yield from _calls(tree, name, command)
    for name, text in tree.matching("ci/campaign", "replay/record_runs"):
        code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
        yield from _calls(tree, name, code)


_RUN = 'Option{"--all", "", "x"}'
SEEDED = {
    "no YAML": {".gitlab-ci.yml": "a: [b\n"},
    "calls nothing": {".gitlab-ci.yml": "a: {image: b}\n"},
    "missing script": {".gitlab-ci.yml": "a:\n  script:\n    - ci/gone x\n"},
    "unknown command": {".github/workflows/a.yml": "jobs: {a: {steps: [{run: build/bin/campaign fly}]}}\n"},
    "unknown flag": {".gitlab-ci.yml": "a:\n  script: [build/bin/campaign run --every]\n", "campaign/cli/cmd_run.cpp": _RUN},
    "unknown flag in a script": {"ci/campaign": "build/bin/campaign run --every\n", "campaign/cli/cmd_run.cpp": _RUN},
}
CLEAN = {
    ".gitlab-ci.yml": "a:\n  script:\n    - ci/campaign x\n    - build/bin/campaign run --all | cat\n",
    "ci/campaign": "# campaign fly\nbuild/bin/campaign run --all\n",
    "campaign/cli/cmd_run.cpp": _RUN,
}
