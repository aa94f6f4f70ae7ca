"""Tests of the scripts in ci/: steps and work beside them, the backports source, the comparison of skipped tests."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import tempfile
import textwrap
import time
import unittest

CI = pathlib.Path(__file__).resolve().parent.parent


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, str(CI / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class Backports(unittest.TestCase):
    """A source for backports is modelled on an installed one, whatever its format."""

    def stanza(self, files):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "sources.list.d").mkdir()
            for name, text in files.items():
                (pathlib.Path(folder) / name).write_text(textwrap.dedent(text))
            result = subprocess.run(
                ["bash", "-c", '. "$1" && backports_stanza bookworm-backports "$2"', "-",
                 CI / "lib/backports.sh", folder],
                capture_output=True, text=True)
            return result.stdout if result.returncode == 0 else None

    def test_deb822_keeps_the_key_and_the_transport(self):
        found = self.stanza({"sources.list.d/debian.sources": """\
            Types: deb deb-src
            # a comment
            URIs: mirror+file:/etc/apt/mirrors/debian.list
            Suites: bookworm bookworm-updates
            Components: main non-free-firmware
            Signed-By:
             -----BEGIN PGP PUBLIC KEY BLOCK-----
             .
             abc
            """})
        self.assertEqual(found, textwrap.dedent("""\
            Types: deb
            URIs: mirror+file:/etc/apt/mirrors/debian.list
            Suites: bookworm-backports
            Components: main
            Signed-By:
             -----BEGIN PGP PUBLIC KEY BLOCK-----
             .
             abc
            """))

    def test_disabled_and_foreign_stanzas_are_no_model(self):
        self.assertIsNone(self.stanza({"sources.list.d/a.sources": """\
            Types: deb
            URIs: https://mirror.example/a
            Suites: bookworm
            Components: main
            Enabled: no

            Types: deb
            URIs: https://mirror.example/security
            Suites: bookworm-security
            Components: main

            Types: deb-src
            URIs: https://mirror.example/b
            Suites: bookworm
            Components: main
            """}))

    def test_one_line_keeps_its_options(self):
        found = self.stanza({"sources.list": """\
            # deb https://mirror.example/old bookworm main
            deb [ arch=amd64 signed-by=/usr/share/k.gpg ] https://mirror.example/debian bookworm main contrib
            """})
        self.assertEqual(found, textwrap.dedent("""\
            Types: deb
            URIs: https://mirror.example/debian
            Suites: bookworm-backports
            Components: main
            Architectures: amd64
            Signed-By: /usr/share/k.gpg
            """))

    def test_no_source_is_a_failure(self):
        self.assertIsNone(self.stanza({"sources.list": "\n"}))


class Steps(unittest.TestCase):
    """What ci/quickstart and ci/test show of their steps, in a log."""

    def run_bash(self, text):
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run(["bash", "-euo", "pipefail", "-c", f"cd {folder}; . {CI}/lib/say.sh; . {CI}/lib/build.sh; {text}"],
                                  capture_output=True, text=True, timeout=60)

    def test_a_long_step_says_how_far_it_is(self):
        done = self.run_bash("""steps_total=1 tick_s=1
            work() { printf '[3/8] Building x.o\\nwarning: w\\n' | without_progress; sleep 1.5; }
            step Building work""")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "warning: w\n")
        self.assertIn("[1/1] Building: 1 s, 3 of 8 done\n", done.stderr)
        self.assertRegex(done.stderr, r"Building: done in 1\.\d s\n$")

    def test_a_step_that_fails_ends_the_script_with_its_code(self):
        done = self.run_bash("work() { return 7; }; step Building work; say never")
        self.assertEqual(done.returncode, 7)
        self.assertIn("Building: failed after", done.stderr)
        self.assertNotIn("never", done.stderr)

    def test_work_beside_is_quiet_when_it_succeeds(self):
        done = self.run_bash("work() { echo chatter; }; beside fetching logs/f work; await fetching; cat logs/f")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("chatter", done.stderr)
        self.assertRegex(done.stderr, r"fetching: took \d+\.\d s, status 0")
        self.assertIn("chatter", done.stdout)

    def test_work_beside_that_fails_shows_its_log(self):
        done = self.run_bash("work() { echo the reason; return 3; }; beside fetching logs/f work; step Waiting await fetching")
        self.assertEqual(done.returncode, 3)
        self.assertIn("the reason", done.stderr)
        self.assertIn("fetching: failed (status 3)", done.stderr)

    def test_work_beside_ends_with_the_script(self):
        done = self.run_bash("""work() { echo $BASHPID >pid; exec sleep 1000; }; beside fetching logs/f work
            until [ -s pid ]; do read -r -t 0.05 <> <(:) || true; done; cat pid; fail enough""")
        self.assertEqual(done.returncode, 1)
        for _ in range(100):
            if not pathlib.Path(f"/proc/{done.stdout.strip()}/cmdline").exists():
                return
            time.sleep(0.05)
        self.assertNotIn(b"sleep", pathlib.Path(f"/proc/{done.stdout.strip()}/cmdline").read_bytes())


class Slowest(unittest.TestCase):
    def test_the_slowest_come_first_and_the_sum_is_of_all(self):
        lines = list(load("slowest").table([(0.5, "a"), (2.0, "b"), (1.0, "c")], 2))
        self.assertEqual(lines[2:], ["| 2.0 | b |", "| 1.0 | c |", "| 3.5 | all 3 tests; the 2 above: 3.0 |"])


class ComparedSkips(unittest.TestCase):
    """The list of expected skips and what was skipped must agree both ways."""

    def setUp(self):
        self.module = load("compare_skips")

    def problems(self, cases, lines):
        return list(self.module.disagreements(cases, lines))

    def test_agreement_is_silent(self):
        self.assertEqual(self.problems({"a": True, "b": False}, [("a", True), ("b", False)]), [])

    def test_an_unexpected_skip_is_found(self):
        self.assertEqual(len(self.problems({"a": True}, [])), 1)
        self.assertEqual(len(self.problems({"a": True}, [("a", False)])), 1)

    def test_an_expected_skip_that_ran_is_found(self):
        self.assertEqual(len(self.problems({"vm: a": False}, [("vm: *", True)])), 1)

    def test_a_line_without_a_test_is_found(self):
        self.assertEqual(len(self.problems({"a": False}, [("gone", True)])), 1)

    def test_a_line_without_a_reason_is_refused(self):
        with self.assertRaises(ValueError):
            list(self.module.expected("always | a | "))

    def test_the_list_itself_reads(self):
        list(self.module.expected((CI / "expected_skips.txt").read_text()))

    def test_skips_are_read_from_ctest(self):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as junit:
            junit.write(
                '<testsuite><testcase name="a" status="run"/>'
                '<testcase name="b" status="notrun"><skipped message="SKIP_RETURN_CODE=4"/></testcase>'
                '<testcase name="c" status="fail"><failure/></testcase></testsuite>')
            junit.flush()
            self.assertEqual(self.module.cases_of(junit.name), {"a": False, "b": True, "c": False})


if __name__ == "__main__":
    unittest.main()
