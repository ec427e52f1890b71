# SPDX-License-Identifier: MIT
"""Entering and leaving, by threads and processes; deaths; errors; what there is to see."""

import contextlib
import fractions
import gc
import multiprocessing
import os
import pickle
import pydoc
import select
import signal
import subprocess
import sys
import threading
import time
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor

import admit
from support import Case, eventually, visit


def visits(gate, witness, times):
    """In another process of multiprocessing."""
    for _ in range(times):
        with gate as hold:
            visit(witness, hold.slot, 0.001)
    return times


class Entering(Case):
    def test_with(self):
        """with admit.Gate("gpu", 4) as hold: a slot below 4, which is left again"""
        with admit.Gate("gpu", 4) as hold:
            self.assertIn(hold.slot, range(4))
            self.assertIs(hold.owner_died, False)
            seen = hold.gate.inspect()
            self.assertEqual([(h.slot, h.ticket, h.pid) for h in seen.holders], [(hold.slot, hold.ticket, os.getpid())])
        self.assertEqual(admit.Gate("gpu").inspect().holders, ())

    def test_exception(self):
        """what is raised inside leaves"""
        gate = admit.Gate("gpu", 1)
        with self.assertRaises(ZeroDivisionError):
            with gate:
                1 / 0
        self.is_empty(gate, 1)

    def test_recursion(self):
        """each with-block has its own hold, also when it is nested"""
        gate = admit.Gate("gpu", 3)
        with gate as outer, gate as middle:
            with gate as inner:
                self.assertEqual({outer.slot, middle.slot, inner.slot}, {0, 1, 2})
                with self.assertRaises(admit.NoSlot):
                    gate.try_enter()
            self.assertEqual({h.slot for h in gate.inspect().holders}, {outer.slot, middle.slot})
        self.is_empty(gate, 3)

    def test_turns(self):
        """generators that take turns inside, with gate.enter()"""
        gate = admit.Gate("gpu", 2)

        def inside():
            with gate.enter() as hold:
                yield hold.slot

        first, second = inside(), inside()
        slots = next(first), next(second)
        first.close()
        self.assertEqual([h.slot for h in gate.inspect().holders], [slots[1]])
        second.close()
        self.is_empty(gate, 2)

    def test_try(self):
        """try_enter: NoSlot if all slots are taken, or somebody waits"""
        gate = admit.Gate("gpu", 1)
        with gate.try_enter() as hold:
            self.assertEqual(hold.slot, 0)
            with self.assertRaises(admit.NoSlot) as caught:
                gate.try_enter()
            self.assertIs(caught.exception.code, admit.Code.NO_SLOT)
        with gate.try_enter():
            pass

    def test_timeout(self):
        """a time-out, a deadline: TimedOut, a TimeoutError; one that is over still goes in if a slot is free"""
        gate = admit.Gate("gpu", 1)
        with gate:
            for limit in ({"timeout": 0.02}, {"timeout": 0}, {"timeout": -1}, {"deadline": time.monotonic() + 0.02}):
                began = time.monotonic()
                with self.assertRaises(TimeoutError) as caught:
                    gate.enter(**limit)
                self.assertGreaterEqual(time.monotonic() - began, max(limit.get("timeout", 0), 0))
                self.assertIsInstance(caught.exception, admit.TimedOut)
                self.assertIn('gate "gpu"', str(caught.exception))
            self.assertEqual(gate.waiters, 0)
        for limit in ({"timeout": -1}, {"timeout": 1e300}, {"timeout": float("inf")}, {"deadline": 0}):
            gate.enter(**limit).leave()
        for name in ("timeout", "deadline"):
            with self.assertRaisesRegex(ValueError, name + " = nan"):
                gate.enter(**{name: float("nan")})
            for wrong in ("5", [5], 5j):
                with self.assertRaisesRegex(TypeError, name + " takes seconds, not "):
                    gate.enter(**{name: wrong})
        gate.enter(fractions.Fraction(1, 2)).leave()
        with self.assertRaises(TypeError):
            gate.enter(1, deadline=1)

    def test_full(self):
        """a gate that is full: Full, which is a NoSlot; whoever waits is let in when there is room"""
        gate = admit.Gate("gpu", 2, most_k=2, capacity=2)
        end, tried, threads = threading.Event(), [], []

        def takes_part():
            try:
                gate.try_enter().leave()
                tried.append(True)
                end.wait()
            except admit.NoSlot as error:
                tried.append(error)

        def start(work):
            threads.append(threading.Thread(target=work))
            threads[-1].start()

        while True not in [isinstance(each, admit.Full) for each in tried]:
            start(takes_part)
            eventually(lambda: len(tried) == len(threads))
            self.assertLess(len(threads), 10)
        start(lambda: gate.enter().leave())
        eventually(lambda: gate.inspect().outside == 1)
        end.set()
        for thread in threads:
            thread.join()
        self.assertEqual(gate.inspect().entered, len(threads) - 1)

    def test_asked(self):
        """waiting(place) is called in line; True gives up: Interrupted; what it raises is raised, and gives up"""
        gate = admit.Gate("gpu", 1)
        places = []
        with gate:
            with self.assertRaises(admit.Interrupted):
                gate.enter(waiting=lambda place: places.append(place) or True)
            with self.assertRaises(ZeroDivisionError):
                gate.enter(waiting=lambda place: 1 / 0)
            self.assertEqual(gate.waiters, 0)
        self.assertEqual(places, [1])
        self.is_empty(gate, 1)

    def test_asked_uses_the_gate(self):
        """waiting() that uses the gate which is waited at is refused, and nothing is lost; another gate it may use"""
        gate, other = admit.Gate("gpu", 1), admit.Gate("other", 1)
        seen = []
        with gate as hold:
            for use in (gate.enter, gate.inspect, hold.leave):
                with self.assertRaises(RuntimeError) as caught:
                    gate.enter(waiting=lambda place: use())
                self.assertIn("cannot use the gate", str(caught.exception))

            def uses_other(place):
                with other:
                    seen.append(len(other.inspect().holders))
                return True

            with self.assertRaises(admit.Interrupted):
                gate.enter(waiting=uses_other)
        self.assertEqual(seen, [1])
        self.is_empty(gate, 1)

    def test_private(self):
        """a gate without a name"""
        gate = admit.Gate.private(2)
        with gate as one, gate as two:
            self.assertNotEqual(one.slot, two.slot)
        with self.assertRaises(TypeError):
            pickle.dumps(gate)
        self.assertEqual(admit.gates(), [])


class Garbage(Case):
    def test_hold(self):
        """a hold that is garbage is left, with a ResourceWarning; also in another thread"""
        gate = admit.Gate("gpu", 2)
        gate.enter().leave()
        with self.assertWarnsRegex(ResourceWarning, "a hold was not left: <admit.Hold of slot . of 'gpu'>$"):
            gate.enter()
        holds = [gate.enter()]

        def drops():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                holds.clear()

        thread = threading.Thread(target=drops)
        thread.start()
        thread.join()
        self.is_empty(gate, 2)

    def test_hold_while_waiting(self):
        """a hold that becomes garbage while its thread waits at the same gate, and lets itself in by that"""
        gate = admit.Gate("gpu", 1)
        holds = [gate.enter()]

        def drops(place):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                holds.clear()
            return True

        with self.assertRaises(admit.Interrupted):
            gate.enter(waiting=drops)
        self.is_empty(gate, 1)

    def test_interrupted(self):
        """what a signal handler raises ends a finalizer at any moment: the slot is there for the next use"""
        gate = admit.Gate("gpu", 1)
        self.addCleanup(setattr, sys, "unraisablehook", sys.unraisablehook)
        sys.unraisablehook = lambda _: None
        moment = moments = 0
        while moment <= moments:
            moments = 0

            def trace(frame, event, argument):
                nonlocal moments
                if frame.f_code.co_filename != admit.__file__:
                    return None
                frame.f_trace_opcodes = True
                moments += 1
                if moments == moment + 1:
                    raise KeyboardInterrupt
                return trace

            hold = gate.enter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                sys.settrace(trace)
                try:
                    hold = None
                finally:
                    sys.settrace(None)
            self.assertIsNone(hold)
            gate.try_enter().leave()
            moment += 1
        self.assertGreater(moment, 20)
        self.is_empty(gate, 1)

    def test_gate(self):
        """a Gate that is garbage is closed when nobody uses it: its holds do"""
        closed = []
        gate = admit.Gate("gpu", 1)
        weakref.finalize(gate._handle, closed.append, True)
        hold = gate.enter()
        del gate
        gc.collect()
        self.assertEqual(len(hold.gate.inspect().holders), 1)
        hold.leave()
        del hold
        gc.collect()
        self.assertEqual(closed, [True])

    def test_with_its_gate(self):
        """a hold that was not left and is garbage together with its Gate, in a cycle: left, with a ResourceWarning"""
        together = """
import gc, warnings
class Worker:
    def __init__(self):
        self.gate = admit.Gate("gpu", 1)
        self.hold = self.gate.enter()
        self.me = self
class Leaves(Worker):
    def __del__(self):
        say(self.gate.k, len(self.gate.inspect().holders))
        if not self.hold._left:
            self.hold.leave()
        with self.gate.enter():
            say(self.gate.path == admit.resolve("gpu"))
def cycle():
    gate = admit.Gate("gpu", 1)
    both = [gate, gate.enter()]
    both.append(both)
def hold_first():
    both = []
    both.append(admit.Gate("gpu", 1).enter())
    both += [both[0].gate, both]
def by_with():
    gate = admit.Gate("gpu", 1)
    gate.__enter__()
    gate.me = gate
def exception():
    gate = admit.Gate("gpu", 1)
    hold = gate.enter()
    try:
        1 / 0
    except ZeroDivisionError as error:
        kept = error
warned = []
warnings.simplefilter("always")
warnings.showwarning = lambda message, category, *_: warned.append(category.__name__)
gc.disable()
{"worker": Worker, "leaves": Leaves}.get(sys.argv[1], globals().get(sys.argv[1]))()
gc.collect()
admit.Gate("gpu", 1).try_enter().leave()
say(*warned)
"""
        for how in ("cycle", "hold_first", "by_with", "exception", "worker"):
            with self.subTest(how):
                process = self.start(together, how)
                self.hears(process, "ResourceWarning")
                self.assertEqual(process.wait(), 0)
        process = self.start(together, "leaves")
        said = process.stdout.read().split()
        self.assertEqual(process.wait(), 0)
        self.assertIn(said[:3], (["1", "1", "True"], ["1", "0", "True"]))  # whichever is finalized first
        self.assertIn(said[3:], ([], ["ResourceWarning"]))
        self.is_empty(admit.Gate("gpu", 1), 1)

    def test_closed(self):
        """a Gate that was closed while threads are inside and in line: they go on, and leave"""
        gate = admit.Gate("gpu", 1)
        hold = gate.enter()
        entered = []
        waiter = threading.Thread(target=lambda: entered.append(gate.enter().leave()))
        waiter.start()
        self.becomes(admit.Gate("gpu"), 1, 1)
        gate.close()
        for use in (gate.enter, gate.try_enter, gate.inspect, lambda: gate.k, lambda: gate.resize(1)):
            with self.assertRaisesRegex(ValueError, "closed"):
                use()
        hold.leave()
        waiter.join()
        self.assertEqual(entered, [None])
        gate.close()
        self.is_empty(admit.Gate("gpu"), 1)

    def test_at_exit(self):
        """at the end of the interpreter: a hold in a global is left; one of a daemon's counts as killed"""
        gate = admit.Gate("gpu", 1)
        self.assertEqual(self.start('hold = admit.Gate("gpu").enter()').wait(), 0)
        with gate as hold:
            self.assertIs(hold.owner_died, False)
        daemon = """
inside = threading.Event()
def work():
    with admit.Gate("gpu"):
        inside.set()
        time.sleep(1000)
threading.Thread(target=work, daemon=True).start()
inside.wait()
"""
        self.assertEqual(self.start(daemon).wait(), 0)
        with gate as hold:
            self.assertIs(hold.owner_died, True)
        waits = """
threading.Thread(target=admit.Gate("gpu").enter, daemon=True).start()
eventually(lambda: admit.Gate("gpu").waiters == 1)
"""
        with gate:
            self.assertEqual(self.start(waits).wait(), 0)
            self.becomes(gate, 1, 0)
        self.is_empty(gate, 1)


class Threads(Case):
    def test_exclusion(self):
        """one Gate in many threads at once: never more than k, no slot twice"""
        gate = admit.Gate("gpu", 3)
        with ThreadPoolExecutor(12) as pool:
            done = list(pool.map(visits, [gate] * 12, [self.witness] * 12, [40] * 12))
        self.assertEqual(sum(done), 480)
        self.is_empty(gate, 3)

    def test_left_by_another(self):
        """a hold that another thread leaves, and one that nobody is inside with any more"""
        gate = admit.Gate("gpu", 1)
        hold = gate.enter()
        thread = threading.Thread(target=hold.leave)
        thread.start()
        thread.join()
        with self.assertRaises(admit.NotHolding):
            hold.leave()
        self.is_empty(gate, 1)

    def test_thread_ends_inside(self):
        """the end of a thread inside counts as a kill, and whoever leaves with its hold is told"""
        gate = admit.Gate("gpu", 1)
        holds = []
        thread = threading.Thread(target=lambda: holds.append(gate.enter()))
        thread.start()
        thread.join()
        with gate as hold:
            self.assertIs(hold.owner_died, True)
            with self.assertRaises(admit.NotHolding):
                holds[0].leave()
            self.assertEqual(len(gate.inspect().holders), 1)
        self.is_empty(gate, 1)

    def test_with_of_another(self):
        """with gate, left in a thread that has not entered by it"""
        gate = admit.Gate("gpu", 1)
        with gate:
            refused = []
            thread = threading.Thread(target=lambda: refused.append(self.assertRaises(admit.NotHolding, gate.__exit__)))
            thread.start()
            thread.join()
            self.assertEqual(len(refused), 1)
            self.assertEqual(len(gate.inspect().holders), 1)

    def test_waits_without_the_lock(self):
        """while a thread waits, the others run"""
        gate = admit.Gate("gpu", 1)
        with gate:
            waiter = threading.Thread(target=visits, args=(gate, self.witness, 1))
            waiter.start()
            eventually(lambda: gate.waiters == 1)
        waiter.join()


class Processes(Case):
    def test_exclusion(self):
        """processes exclude each other, as a witness outside sees it"""
        gate = admit.Gate("gpu", 2)
        script = """
for _ in range(60):
    with admit.Gate("gpu") as hold:
        visit(sys.argv[1], hold.slot, 0.001)
"""
        processes = [self.start(script, self.witness) for _ in range(5)]
        self.assertEqual([process.wait() for process in processes], [0] * 5)
        self.assertEqual(gate.inspect().entered, 300)
        self.is_empty(gate, 2)

    def test_the_command(self):
        """it is the gate of the command line"""
        command = os.path.join(os.path.dirname(os.environ["ADMIT_LIBRARY"]), "admit")
        with admit.Gate("gpu", 1):
            tried = subprocess.run([command, "run", "--try", "gpu", "--", "true"], stderr=subprocess.PIPE)
            self.assertEqual(tried.returncode, 75)
        subprocess.run([command, "run", "--try", "gpu", "--", "true"], check=True)

    def test_order(self):
        """those who wait go in in the order in which they came"""
        gate = admit.Gate("gpu", 1)
        with gate:
            waiters = []
            for number in range(5):
                waiters.append(self.start(f'with admit.Gate("gpu"):\n    open(sys.argv[1], "a").write("{number}")',
                                          os.path.join(self.directory, "order")))  # fmt: skip
                self.becomes(gate, 1, number + 1)
        for waiter in waiters:
            self.assertEqual(waiter.wait(), 0)
        with open(os.path.join(self.directory, "order")) as order:
            self.assertEqual(order.read(), "01234")

    def test_killed(self):
        """kill -9 of a holder, and of one in line: the next goes in, and is told that the owner died"""
        gate = admit.Gate("gpu", 1)
        holder = self.start('with admit.Gate("gpu"):\n    say("inside")\n    time.sleep(1000)')
        self.hears(holder, "inside")
        waiter = self.start('admit.Gate("gpu").enter()')
        self.becomes(gate, 1, 1)
        self.kill(waiter)
        self.kill(holder)
        with gate as hold:
            self.assertIs(hold.owner_died, True)
        with gate as hold:
            self.assertIs(hold.owner_died, False)
        self.is_empty(gate, 1)

    def test_fork(self):
        """a forked child holds nothing, can use the Gate, and leaves nothing of its parent's"""
        gate = admit.Gate("gpu", 2)
        with gate as hold:
            child = os.fork()
            if child == 0:
                try:
                    with self.assertRaisesRegex(admit.NotHolding, "parent"):
                        hold.leave()
                    with self.assertRaises(admit.NotHolding):
                        hold.run(["true"])
                    hold.__exit__()
                    with gate as own:
                        assert own.slot != hold.slot and len(gate.inspect().holders) == 2
                    gate.close()
                    del hold
                    gc.collect()
                    with admit.Gate("gpu") as own:
                        assert len(own.gate.inspect().holders) == 2
                    os._exit(0)
                except BaseException as error:
                    print("#", repr(error), flush=True)
                finally:
                    os._exit(1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual([h.slot for h in gate.inspect().holders], [hold.slot])
        self.is_empty(gate, 2)

    def test_fork_while_threads_wait(self):
        """a child that is forked while threads are inside and in line can use the Gate, and ends"""
        gate = admit.Gate("gpu", 1)
        with gate:
            threads = [threading.Thread(target=visits, args=(gate, self.witness, 1)) for _ in range(3)]
            for thread in threads:
                thread.start()
            self.becomes(gate, 1, 3)
            child = self.forks(lambda: gate.enter().leave())
            self.becomes(gate, 1, 4)
        for thread in threads:
            thread.join()
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.is_empty(gate, 1)

    def forks(self, work):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12: of threads
            child = os.fork()
        if child != 0:
            return child
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)

    def pool(self, method):
        gate = admit.Gate("gpu", 2)
        with multiprocessing.get_context(method).Pool(4) as pool:
            self.assertEqual(pool.starmap(visits, [(gate, self.witness, 10)] * 8), [10] * 8)
        self.assertEqual(gate.inspect().entered, 80)
        self.is_empty(gate, 2)

    def test_fork_pool(self):
        """a pool of multiprocessing whose processes are forked"""
        self.pool("fork")

    def test_spawn_pool(self):
        """a pool of multiprocessing whose processes are spawned"""
        self.pool("spawn")

    def test_pickle(self):
        """a Gate that is pickled is the same file, also where its name means another"""
        gate = admit.Gate("gpu", 2, mode=0o640)
        pickled = pickle.dumps(gate)
        same = pickle.loads(pickled)
        self.assertEqual((same.name, same.identity), ("gpu", gate.identity))
        os.environ["ADMIT_DIR"] = self.witness
        elsewhere = pickle.loads(pickled)
        self.assertEqual((elsewhere.path, elsewhere.identity), (gate.path, gate.identity))
        error = pickle.loads(pickle.dumps(admit.TimedOut("late", admit.Code.TIMED_OUT)))
        self.assertEqual((type(error), error.code, str(error)), (admit.TimedOut, 16, "late"))


class Signals(Case):
    WAITER = """
with admit.Gate("gpu") as hold:
    say("inside", hold.ticket)
"""

    def test_interrupt(self):
        """Ctrl-C while waiting: KeyboardInterrupt, and the place is given up though the process goes on"""
        gate = admit.Gate("gpu", 1)
        with gate:
            waiter = self.start(f"try:{self.WAITER}except KeyboardInterrupt:\n    say('gave up')\nawait_word()".replace(
                "\nwith", "\n  with"))  # fmt: skip
            behind = self.start(self.WAITER)
            self.becomes(gate, 1, 2)
            waiter.send_signal(signal.SIGINT)
            self.hears(waiter, "gave up")
            self.becomes(gate, 1, 1)
        self.assertRegex(behind.stdout.readline(), "^inside")
        self.tell(waiter)
        self.assertEqual(waiter.wait(), 0)
        self.is_empty(gate, 1)

    def test_uncaught(self):
        """Ctrl-C while waiting, and nobody catches it: the process ends by it"""
        gate = admit.Gate("gpu", 1)
        with gate:
            waiter = self.start(self.WAITER, stderr=subprocess.PIPE)
            self.becomes(gate, 1, 1)
            waiter.send_signal(signal.SIGINT)
            self.assertEqual(waiter.wait(), -signal.SIGINT)
            said = waiter.stderr.read()
            self.assertIn("KeyboardInterrupt", said)
            self.assertNotIn("ignored", said)

    def test_harmless(self):
        """a signal whose handler raises nothing takes nobody's place"""
        gate = admit.Gate("gpu", 1)
        with gate:
            waiter = self.start("signal.signal(signal.SIGUSR1, lambda *_: say('signal'))\n" + self.WAITER)
            self.becomes(gate, 1, 1)
            ticket = gate.inspect().waiters[0].ticket
            for _ in range(5):
                waiter.send_signal(signal.SIGUSR1)
                self.hears(waiter, "signal")
            self.assertEqual([w.ticket for w in gate.inspect().waiters], [ticket])
        self.hears(waiter, f"inside {ticket}")

    def test_handler_uses_the_gate(self):
        """a handler cannot enter the gate at which its thread waits: it is told so"""
        gate = admit.Gate("gpu", 1)
        with gate:
            waiter = self.start("""
gate = admit.Gate("gpu")
signal.signal(signal.SIGUSR1, lambda *_: gate.enter())
try:
    gate.enter()
except RuntimeError as error:
    say(error)
with gate:
    say("inside")
""")
            self.becomes(gate, 1, 1)
            waiter.send_signal(signal.SIGUSR1)
            self.assertIn("cannot use the gate that it waits at", waiter.stdout.readline())
        self.hears(waiter, "inside")

    def test_storm(self):
        """Ctrl-C at any moment of entering and leaving loses no slot"""
        gate = admit.Gate("gpu", 1)
        busy = self.start('while True:\n    with admit.Gate("gpu"):\n        pass')
        storm = self.start("""
gate = admit.Gate("gpu")
armed = interrupted = 0
def interrupt(*_):  # as Python's own, but not outside of what is tried
    if armed:
        raise KeyboardInterrupt
signal.signal(signal.SIGINT, interrupt)
while interrupted < 100:
    say("goes on")
    try:
        armed = 1
        while True:
            with gate.enter():
                pass
            with admit.Gate("gpu"):
                pass
    except KeyboardInterrupt:
        armed = 0
        interrupted += 1
say("done")
await_word()
""", stderr=subprocess.DEVNULL)  # fmt: skip
        number, said = 0, storm.stdout.readline().strip()  # before that an interrupt would be Python's own
        self.assertEqual(said, "goes on")
        while said != "done":
            # Python itself loses one that comes while a finalizer runs: then the next round does not come.
            if select.select([storm.stdout], [], [], 0.5)[0]:
                said = storm.stdout.readline().strip()
                self.assertIn(said, ("goes on", "done"))
            number += 1
            time.sleep(number % 10 / 3000)
            storm.send_signal(signal.SIGINT)
        self.kill(busy)
        self.is_empty(gate, 1)
        self.tell(storm)
        self.assertEqual(storm.wait(), 0)


class Commands(Case):
    SHOWS = "echo $ADMIT_GATE $ADMIT_SLOT ${ADMIT_OWNER_DIED:-lived} $MORE"

    def test_run(self):
        """a command sees the gate and its slot, and one after the other may have the same hold"""
        with admit.Gate("gpu", 2) as hold:
            for _ in range(2):
                done = hold.run(["sh", "-c", self.SHOWS], stdout=subprocess.PIPE, text=True, env={"MORE": "more"})
                self.assertEqual(done.stdout, f"gpu {hold.slot} lived more\n")
            with self.assertRaises(subprocess.CalledProcessError):
                hold.run(["false"], check=True)
        with self.assertRaises(admit.NotHolding):
            hold.run(["true"])
        self.is_empty(hold.gate, 2)

    def test_descriptors(self):
        """descriptors of commands come and go; a command that is not given the hold has none"""
        gate = admit.Gate("gpu", 1)
        for _ in range(3):
            with gate as hold:
                hold.run(["true"])
                self.assertNotIn(gate.path, self.opened_by(["sh", "-c", "ls -l /proc/self/fd/"]))
                self.assertIn(gate.path, self.opened_by(["sh", "-c", "ls -l /proc/self/fd/"], hold))
                count = len(os.listdir("/proc/self/fd"))
            self.assertEqual(len(os.listdir("/proc/self/fd")), count - 1)

    def opened_by(self, command, hold=None):
        bequest = hold.bequest() if hold is not None else {"close_fds": False}
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, **bequest).stdout

    def test_killed(self):
        """the Python process is killed: the command holds until it has ended"""
        gate = admit.Gate("gpu", 1)
        self.start("""
with admit.Gate("gpu") as hold:
    child = hold.popen(["sh", "-c", "echo running; read word; exit 0"])
    say("waits")
    os.kill(os.getpid(), signal.SIGKILL)
""").wait()  # fmt: skip
        # The command has the pipe that is its standard input; what it has said comes first or last.
        with self.assertRaises(admit.NoSlot):
            gate.try_enter()
        self.assertEqual([h.condition for h in gate.inspect().holders], ["orphan"])

    def test_killed_and_ended(self):
        """and then the next goes in, who is told of the death"""
        gate = admit.Gate("gpu", 1)
        starter = self.start("""
with admit.Gate("gpu") as hold:
    hold.popen(["sh", "-c", "read word; exit 0"])
    say("started")
    time.sleep(1000)
""")  # fmt: skip
        self.hears(starter, "started")
        self.kill(starter)
        with self.assertRaises(admit.TimedOut):
            gate.enter(timeout=0.3)
        self.tell(starter)
        with gate as hold:
            self.assertIs(hold.owner_died, True)
        self.is_empty(gate, 1)

    def test_nested(self):
        """admit run of the same gate is refused inside, since it would wait for itself"""
        command = os.path.join(os.path.dirname(os.environ["ADMIT_LIBRARY"]), "admit")
        with admit.Gate("gpu", 1) as hold:
            self.assertEqual(hold.run([command, "run", "gpu", "--", "true"], stderr=subprocess.PIPE).returncode, 125)
            device, inode = hold.gate.identity
            inside = hold.bequest({"ADMIT_INSIDE": "1:2:3"})["env"]["ADMIT_INSIDE"]
            self.assertEqual(inside, f"1:2:3 {device:x}:{inode:x}:{hold.ticket:x}")


class Errors(Case):
    def refused(self, kind, also, code, use):
        with self.assertRaises(kind) as caught:
            use()
        self.assertIsInstance(caught.exception, also)
        self.assertIsInstance(caught.exception, admit.Error)
        self.assertIs(caught.exception.code, code)
        self.assertTrue(str(caught.exception))

    def test_classes(self):
        """bad names, numbers and gates: the exception that says so"""
        code = admit.Code
        for name in ("", ".", "..", "a b", "x" * 65, "a\0b", "caf\u00e9", b"\xff"):
            self.refused(admit.BadName, ValueError, code.BAD_NAME, lambda: admit.Gate(name, 1))
        for k in (0, -1, 1025, 2**32 + 1):
            self.refused(admit.BadOption, ValueError, code.BAD_OPTION, lambda: admit.Gate("gpu", k))
        self.refused(admit.BadOption, ValueError, code.BAD_OPTION, lambda: admit.Gate.private(0))
        self.refused(admit.BadOption, ValueError, code.BAD_OPTION, lambda: admit.Gate("gpu", 2, capacity=2**20))
        self.refused(admit.NoGate, FileNotFoundError, code.NO_GATE, lambda: admit.Gate("gpu"))
        self.refused(admit.NoGate, FileNotFoundError, code.NO_GATE, lambda: admit.remove("gpu"))
        gate = admit.Gate("gpu", 2)
        self.refused(admit.OtherK, ValueError, code.OTHER_K, lambda: admit.Gate("gpu", 3))
        looks = admit.Gate("gpu", look_only=True)
        self.refused(admit.NoPermission, PermissionError, code.NO_PERMISSION, looks.enter)
        with open(os.path.join(self.directory, "other"), "w") as other:
            other.write("no gate")
        self.refused(admit.NotAGate, admit.Error, code.NOT_A_GATE, lambda: admit.Gate(other.name))
        with gate:
            self.refused(admit.Busy, admit.Error, code.BUSY, lambda: admit.remove("gpu"))
        admit.remove("gpu")
        self.refused(admit.Removed, admit.Error, code.REMOVED, lambda: gate.enter().leave())
        for wrong in (2.5, "2", [4]):
            with self.assertRaisesRegex(TypeError, "k takes a whole number, not "):
                admit.Gate("other", wrong)
        for name in ("most_k", "capacity", "mode"):
            with self.assertRaisesRegex(TypeError, name + " takes a whole number, not '0600'"):
                admit.Gate("other", 2, **{name: "0600"})
            with self.assertRaisesRegex(ValueError, name + " = -1: out of range"):
                admit.Gate("other", 2, **{name: -1})
        with self.assertRaisesRegex(TypeError, "k takes a whole number, not None"):
            admit.Gate.private(None)

    def test_no_slots(self):
        """a k of 0 is a mistake, also where the gate exists; without k it must"""
        with self.assertRaises(admit.NoGate):
            admit.Gate("gpu", None)
        admit.Gate("gpu", 2)
        self.assertEqual(admit.Gate("gpu", None).k, 2)
        with self.assertRaisesRegex(ValueError, "k = 0"):
            admit.Gate("gpu", 0)
        again = pickle.loads(pickle.dumps(admit.Gate("gpu")))
        self.assertEqual(again.k, 2)

    def test_elsewhere(self):
        """a hold on etcd can be lost, of which this module would not know"""
        with self.assertRaisesRegex(admit.BadName, "gates on etcd are for C"):
            admit.Gate("etcd:gpu", 1)

    def test_errno(self):
        """those that are Python's own have an errno, too"""
        with self.assertRaises(OSError) as caught:
            admit.Gate("gpu")
        self.assertEqual(caught.exception.errno, 2)

    def test_no_library(self):
        """a library that is not there, is none, or is another version: ImportError that names it"""
        source = os.path.join(self.directory, "other.c")
        with open(source, "w") as text:
            text.write('const char *admit_version(void) { return "7.0.0"; }\n')
        other = os.path.join(self.directory, "other.so")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", source, "-o", other], check=True)
        for path, said in (("/nowhere/libadmit.so", "/nowhere/libadmit.so"), (source, "other.c"), (other, "7.0.0")):
            script = f"import sys; sys.path.insert(0, {os.path.dirname(admit.__file__)!r}); import admit"
            environment = {**os.environ, "ADMIT_LIBRARY": path}
            failed = subprocess.run([sys.executable, "-c", script], env=environment, stderr=subprocess.PIPE, text=True)
            self.assertEqual(failed.returncode, 1)
            self.assertIn("ImportError: admit: no libadmit could be loaded", failed.stderr)
            self.assertIn(said, failed.stderr)


class Seeing(Case):
    def test_inspect(self):
        """who is inside and who waits, since when, by what name"""
        gate = admit.Gate("gpu", 2)
        began = time.time()
        with gate, gate:
            waiter = self.start('gate = admit.Gate("gpu")\ngate.describe("waits caf\u00e9")\ngate.enter()')
            self.becomes(gate, 2, 1)
            view = gate.inspect()
            inside = [(holder.slot, holder.place, holder.condition) for holder in view.holders]
            self.assertEqual(inside, [(0, None, "lives"), (1, None, "lives")])
            self.assertTrue(all(began - 1 <= who.since <= time.time() for who in view.holders + view.waiters))
            self.assertIn("test_gates", view.holders[0].command)
            only = view.waiters[0]
            self.assertEqual((only.place, only.slot, only.pid, only.command), (1, None, waiter.pid, "waits caf\u00e9"))
            self.assertEqual((only.user, view.k, gate.waiters), (os.geteuid(), 2, 1))
            waiter.send_signal(signal.SIGSTOP)
            eventually(lambda: gate.inspect().waiters[0].condition == "stopped")

    def test_numbers(self):
        """k, resized and declared; and where it is"""
        gate = admit.Gate("gpu", 2, most_k=5, capacity=300)
        self.assertEqual((gate.k, gate.declared_k, gate.most_k, gate.capacity), (2, 2, 5, 300))
        gate.resize(4)
        self.assertEqual((gate.k, gate.declared_k, admit.Gate("gpu", 2).k), (4, 2, 4))
        gate.declare(3)
        self.assertEqual((gate.k, gate.declared_k), (3, 3))
        for k in (0, 6, -1, 2**32 + 1):
            with self.assertRaises(admit.BadOption):
                gate.resize(k)
        self.assertEqual(admit.directory(), self.directory)
        self.assertEqual(admit.gates(), [admit.GateFile("gpu", gate.path)])
        self.assertEqual(admit.resolve("gpu"), gate.path)
        status = os.stat(gate.path)
        self.assertEqual(gate.identity, (status.st_dev, status.st_ino))
        by_path = admit.Gate(gate.path)
        self.assertEqual(by_path.identity, gate.identity)

    def test_manual(self):
        """help(admit) is a manual, and every public name is explained"""
        manual = pydoc.plain(pydoc.render_doc(admit))
        for word in ("WAYS IN", "WHO HOLDS", "ASYNCIO", "ERRORS"):
            self.assertIn(word, manual)
        for name in admit.__all__:
            self.assertTrue(getattr(admit, name).__doc__, name)
        for thing in (admit.Gate, admit.Hold):
            for name, what in vars(thing).items():
                self.assertTrue(name.startswith("_") or what.__doc__, name)

    def test_numbers_of_the_library(self):
        """version() is that of the library"""
        with contextlib.suppress(KeyError):
            self.assertNotIn("libadmit", os.environ["LD_PRELOAD"])
        self.assertTrue(admit.version().startswith("0.2."))
