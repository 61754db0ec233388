"""Sweeps over MPI: the bytes of one process, whatever the ranks; what the death of a rank costs; errors once.

usage: ranks_test.py PROGRAM [unittest options]
Exit status 77, a skip for ctest, when the program was built without MPI or there is no mpirun.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program import PROGRAM, Folder, run

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]
GRID = ["sweep", "--algorithm", "standard,flash1,flash2", "--seq", "100:1000:+300", "--sram", "2000el:32000el:*2"]
LONG = ["sweep", "--algorithm", "flash1,flash2", "--head-dim", "64", "--block-q", "1:24:+1", "--block-k", "1:12:+1", "--seq",
        "4099", "--mask", "none,causal,window:100:0"]
# Open MPI names the processes of a job by these variables; a program built without MPI sees them, too.
SECOND_OF_TWO = {**os.environ, "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}


def run_on(ranks, arguments, **options):
    return subprocess.run([*MPIRUN, "-n", str(ranks), PROGRAM, *arguments], capture_output=True, timeout=120, **options)


def rank_of(pid):
    """The rank of a process of this program; None of any other."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            found = re.search(rb"(?:^|\0)OMPI_COMM_WORLD_RANK=(\d+)", file.read())
        return int(found[1]) if found and os.path.realpath(f"/proc/{pid}/exe") == os.path.realpath(PROGRAM) else None
    except OSError:
        return None


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


class Ranks(Folder):
    def messages(self, done):
        """Lines of the program; mpirun adds its own when a process ends with another status than 0."""
        return [line for line in done.stderr.decode().splitlines() if line.startswith("tilemeter: ")]

    def test_any_number_of_ranks_prints_the_same(self):
        for form in ["table", "csv", "json"]:
            alone = run([*GRID, "--format", form])
            self.assertEqual(alone.returncode, 0, alone.stderr)
            for ranks in [1, 2, 5]:
                with self.subTest(format=form, ranks=ranks):
                    done = run_on(ranks, [*GRID, "--format", form, "-j", "2"], env={**os.environ, "TERM": "xterm"})
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(done.stdout.decode(), alone.stdout)

    def test_any_number_of_ranks_writes_the_same(self):
        for name in ["x.txt", "x.csv", "x.json"]:
            self.assertEqual(run([*GRID, "-o", self.path(name)]).returncode, 0)
            alone = self.read(name)
            for ranks in [1, 2, 5]:
                with self.subTest(file=name, ranks=ranks):
                    done = run_on(ranks, [*GRID, "-o", self.path(name), "-j", "1"])
                    self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
                    self.assertEqual(self.read(name), alone)
        self.assertEqual(self.files(), ["x.csv", "x.json", "x.txt"])

    def cut(self, rank):
        """Kills a rank of three when some points are recorded, and returns how many stand in the journal."""
        partial = self.path("cut.csv.partial")
        with subprocess.Popen([*MPIRUN, "-n", "3", PROGRAM, *LONG, "-o", self.path("cut.csv"), "-j", "1"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as job:
            while not os.path.exists(partial) or os.path.getsize(partial) < 50000:
                self.assertIsNone(job.poll(), "the sweep ended too early to be cut")
                time.sleep(0.002)
            os.kill(next(pid for pid in children(job.pid) if rank_of(pid) == rank), signal.SIGKILL)
            self.assertNotEqual(job.wait(timeout=60), 0)
        self.assertEqual(self.files(), ["cut.csv.partial", "whole.csv"])
        records = self.read("cut.csv.partial").split(b"\n", 5)[5]
        return records.count(b"\n")

    def test_the_death_of_a_rank_costs_only_what_it_had_not_recorded(self):
        self.assertEqual(run([*LONG, "-o", self.path("whole.csv")]).returncode, 0)
        for rank in [1, 0]:
            with self.subTest(rank=rank):
                recorded = self.cut(rank)
                self.assertGreater(recorded, 10)
                done = run_on(2, [*LONG, "-o", self.path("cut.csv"), "--resume", "-v"])
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"{recorded} of 1728 points are in ", done.stderr.decode())
                self.assertEqual(self.read("cut.csv"), self.read("whole.csv"))
                os.remove(self.path("cut.csv"))

    def test_errors_are_said_once(self):
        self.write("x.csv.partial", "")
        for arguments, word in [(["--sqe", "4"], "--seq"), (["--algorithm", "flsh", "--seq", "4"], "flsh"),
                                ([*GRID[1:], "-o", self.path("x.csv")], "--resume")]:
            with self.subTest(arguments=arguments):
                done = run_on(3, ["sweep", *arguments])
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertEqual(len(self.messages(done)), 1, done.stderr)
                self.assertIn(word, self.messages(done)[0])


class WithoutMpi(Folder):
    def test_several_processes_are_refused_by_the_first(self):
        second = run(GRID, env=SECOND_OF_TWO)
        self.assertEqual((second.returncode, second.stdout, second.stderr), (0, "", ""))
        first = run(GRID, env={**SECOND_OF_TWO, "OMPI_COMM_WORLD_RANK": "0"})
        self.assertEqual((first.returncode, first.stdout), (2, ""))
        self.assertIn("TILEMETER_MPI", first.stderr)


if __name__ == "__main__":
    built = "built with MPI" in run(["sweep", "--help"]).stdout
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Ranks if built else WithoutMpi)
    if built and shutil.which("mpirun") is None:
        print("skipped: no mpirun (package openmpi-bin)")
        sys.exit(77)
    if not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful():
        sys.exit(1)
    if not built:
        print("skipped: this program was built without MPI (-DTILEMETER_MPI=ON)")
        sys.exit(77)
