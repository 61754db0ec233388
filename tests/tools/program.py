"""What the tests of the program share: running it, and a folder of their own."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

os.environ["SOURCE_DATE_EPOCH"] = "1709208000"  # pages are the same before and after midnight
PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None


def run(arguments, timeout=120, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=timeout, **options)


def output(arguments):
    """Standard output of a run that must end with exit status 0, within a minute."""
    done = run(arguments, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def document(arguments):
    """The JSON of a run that must end with exit status 0."""
    return json.loads(output([*arguments, "--format", "json"]))


def message(arguments):
    """The one line on standard error of a run that must end with exit status 2 and nothing on standard output."""
    done = run(arguments, timeout=60)
    if done.returncode != 2 or done.stdout or len(done.stderr.strip().splitlines()) != 1:
        raise AssertionError(f"{' '.join(arguments)}: exit {done.returncode}, {done.stdout!r}, {done.stderr!r}")
    return done.stderr


def count(text):
    return document(["count", *text.split()])


def refusal(text):
    return message(["count", *text.split()])


class Folder(unittest.TestCase):
    """A test in an empty folder of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def files(self):
        return sorted(os.listdir(self.folder.name))

    def refuse(self, arguments, *words):
        """Expects exit status 2, nothing on standard output, and one line on standard error with all of `words`."""
        done = run(arguments)
        with self.subTest(arguments=" ".join(arguments)):
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)
