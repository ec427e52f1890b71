# SPDX-License-Identifier: MIT
"""tap.py MODULE...: runs the unittest cases of these modules of this directory, and writes a line of TAP for each."""

import os
import sys
import unittest


class Tap(unittest.TestResult):
    def __init__(self) -> None:
        super().__init__()
        self.cases = 0

    def say(self, verdict: str, test: unittest.TestCase, ending: str = "", details: str = "") -> None:
        self.cases += 1
        print(f"{verdict} {self.cases} - {(test.shortDescription() or test.id()).rstrip('.')}{ending}")
        for line in details.splitlines():
            print("#", line)
        sys.stdout.flush()

    def addSuccess(self, test):
        self.say("ok", test)

    def addFailure(self, test, error):
        self.say("not ok", test, details=self._exc_info_to_string(error, test))

    def addError(self, test, error):
        self.addFailure(test, error)

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.addFailure(subtest, error)

    def addSkip(self, test, reason):
        self.say("ok", test, ending=f" # SKIP {reason}")


# Processes that are spawned import this, too.
if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    tap = Tap()
    unittest.defaultTestLoader.loadTestsFromNames(sys.argv[1:]).run(tap)
    print(f"1..{tap.cases}")
