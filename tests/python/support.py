# SPDX-License-Identifier: MIT
"""What the cases share: a directory of gates of their own, other processes, and a witness from outside."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import admit

PYTHON = os.path.dirname(os.path.abspath(admit.__file__))
HERE = os.path.dirname(os.path.abspath(__file__))
BEGINNING = f"""
import os, signal, sys, threading, time
sys.path[:0] = [{PYTHON!r}, {HERE!r}]
import admit
from support import eventually, visit
def say(*words):  # also in a signal handler that interrupts another: by no buffer
    os.write(1, (" ".join(map(str, words)) + chr(10)).encode())
def await_word():
    sys.stdin.readline()
"""


def eventually(becomes, *arguments):
    """Waits until it is true; only something that is broken takes so long that this fails."""
    end = time.monotonic() + 30
    while not becomes(*arguments):
        if time.monotonic() > end:
            raise AssertionError(f"{becomes} did not become true")
        time.sleep(0.005)
    return True


def visit(directory, slot, seconds=0.0):
    """The witness: a file for the slot, which nobody else may have made."""
    path = os.path.join(directory, f"slot.{slot}")
    os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    time.sleep(seconds)
    os.unlink(path)


class Case(unittest.TestCase):
    """Each has a directory of gates of its own."""

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="admit-python.")
        os.environ["ADMIT_DIR"] = self.directory
        self.addCleanup(shutil.rmtree, self.directory)
        self.witness = tempfile.mkdtemp(prefix="admit-witness.")
        self.addCleanup(shutil.rmtree, self.witness)

    def start(self, script, *arguments, **how):
        """Another Python, which runs this script, and is gone when the case is over."""
        process = subprocess.Popen(
            [sys.executable, "-c", BEGINNING + script, *arguments],
            **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, **how},
        )
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def hears(self, process, *words):
        for word in words:
            self.assertEqual(process.stdout.readline().strip(), word)

    def tell(self, process):
        process.stdin.write("\n")
        process.stdin.flush()

    def kill(self, process, number=signal.SIGKILL):
        process.send_signal(number)
        process.wait()

    def becomes(self, gate, inside=None, waiting=None):
        """The gate looks so, soon; of those who live."""

        def looks_so():
            view = gate.inspect()
            counts = [sum(who.condition != "died" for who in some) for some in (view.holders, view.waiters)]
            return all(wanted in (None, count) for wanted, count in zip((inside, waiting), counts))

        eventually(looks_so)

    def is_empty(self, gate, k):
        """All k slots can be had."""
        self.becomes(gate, 0, 0)
        holds = [gate.try_enter() for _ in range(k)]
        self.assertEqual(sorted(hold.slot for hold in holds), list(range(k)))
        for hold in holds:
            hold.leave()
