# SPDX-License-Identifier: MIT
"""Tasks of asyncio: they wait without holding up the loop, and what they have is theirs."""

import asyncio
import gc
import threading
import warnings

import admit
from support import Case, eventually, visit


async def soon(becomes):
    """As eventually(), while the loop goes on."""
    while not becomes():
        await asyncio.sleep(0.005)


class Asyncio(Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.leaves_no_thread, threading.active_count())
        self.gate = admit.Gate("gpu", 1)

    def leaves_no_thread(self, before):
        eventually(lambda: threading.active_count() <= before)

    def run_loop(self, main):
        async def limited():
            return await asyncio.wait_for(main, 60)

        return asyncio.run(limited())

    def test_with(self):
        """async with gate, also nested, and in several tasks that leave in another order"""
        gate = admit.Gate("several", 3)

        async def inside(left_after):
            async with gate as hold:
                await asyncio.sleep(left_after)
                return hold.slot

        async def main():
            async with gate as outer, gate as inner:
                self.assertNotEqual(outer.slot, inner.slot)
                with self.assertRaises(admit.TimedOut):
                    async with gate, gate.aenter(timeout=0.01):
                        self.fail("is inside")
                self.assertEqual(len(gate.inspect().holders), 2)
            return await asyncio.gather(inside(0.2), inside(0.1), inside(0.15))

        self.assertEqual(sorted(self.run_loop(main())), [0, 1, 2])
        self.is_empty(gate, 3)

    def test_many(self):
        """200 tasks: never more than k inside, in the order in which they came, and the loop goes on"""
        gate = admit.Gate("several", 3)
        loops = 0

        async def ticks():
            nonlocal loops
            while True:
                await asyncio.sleep(0)
                loops += 1

        async def visitor():
            async with gate.aenter() as hold:
                visit(self.witness, hold.slot)
                await asyncio.sleep(0.001)
                return hold.ticket

        async def main():
            ticking = asyncio.ensure_future(ticks())
            tickets = await asyncio.gather(*(visitor() for _ in range(200)))
            ticking.cancel()
            return tickets

        self.assertEqual(len(set(self.run_loop(main()))), 200)
        self.assertGreater(loops, 200)
        self.is_empty(gate, 3)

    def test_timeout(self):
        """a time-out, and a wait_for around it"""

        async def main():
            with self.gate:
                with self.assertRaises(admit.TimedOut):
                    await self.gate.aenter(timeout=0.02)
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(self.enters(), 0.02)
                await soon(lambda: self.gate.waiters == 0)

        self.run_loop(main())
        self.is_empty(self.gate, 1)

    async def enters(self):
        return await self.gate.aenter()

    def test_cancelled_while_waiting(self):
        """a task that is cancelled while it waits gives its place up, and those behind it keep theirs"""

        async def main():
            with self.gate:
                first, second = asyncio.ensure_future(self.enters()), None
                await soon(lambda: self.gate.waiters == 1)
                second = asyncio.ensure_future(self.enters())
                await soon(lambda: self.gate.waiters == 2)
                ticket = self.gate.inspect().waiters[1].ticket
                first.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await first
                await soon(lambda: self.gate.waiters == 1)
            hold = await second
            self.assertEqual(hold.ticket, ticket)
            hold.leave()

        self.run_loop(main())
        self.is_empty(self.gate, 1)

    def test_cancelled_inside(self):
        """a task that is cancelled inside leaves"""

        async def inside(entered):
            async with self.gate:
                entered.set()
                await asyncio.sleep(1000)

        async def main():
            entered = asyncio.Event()
            task = asyncio.ensure_future(inside(entered))
            await entered.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertEqual(self.gate.inspect().holders, ())

        self.run_loop(main())
        self.is_empty(self.gate, 1)

    def test_cancelled_at_any_moment(self):
        """tasks that are cancelled at any moment, while others come and go: nothing is lost"""

        async def visitor(number):
            async with self.gate.aenter() as hold:
                visit(self.witness, hold.slot)
                await asyncio.sleep(number % 3 / 2000)

        async def main():
            tasks = []
            for number in range(150):
                tasks.append(asyncio.ensure_future(visitor(number)))
                await asyncio.sleep(number % 7 / 3000)
                if number % 2:
                    tasks[number - number % 5].cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        self.run_loop(main())
        self.is_empty(self.gate, 1)

    def test_all_cancelled(self):
        """a long line of tasks that are all cancelled is gone"""

        async def main():
            with self.gate:
                tasks = [asyncio.ensure_future(self.enters()) for _ in range(60)]
                await soon(lambda: self.gate.waiters == 60)
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await soon(lambda: self.gate.waiters == 0)

        self.run_loop(main())
        self.is_empty(self.gate, 1)

    def test_loop_ends(self):
        """a loop that is stopped while tasks wait and are inside, and is garbage: nothing stays inside"""

        async def enters_and_stops(loop):
            held.append(await self.gate.aenter())
            asyncio.ensure_future(self.enters())
            await soon(lambda: self.gate.waiters == 1)
            loop.stop()

        held = []
        loop = asyncio.new_event_loop()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loop.set_exception_handler(lambda *_: None)
            task = loop.create_task(enters_and_stops(loop))
            loop.run_forever()
            loop.close()
            held.pop().leave()
            del task, loop
            gc.collect()
            self.is_empty(self.gate, 1)

    def test_garbage(self):
        """a hold that is garbage before it was left is left, with a ResourceWarning, and its thread ends"""

        async def main():
            before = threading.active_count()
            with self.assertWarns(ResourceWarning):
                hold = await self.gate.aenter(timeout=5)
                self.assertEqual(hold.slot, 0)
                del hold
                gc.collect()
                await soon(lambda: self.gate.inspect().holders == ())
            with self.assertWarns(ResourceWarning):
                await self.gate.aenter(timeout=5)
                await soon(lambda: self.gate.inspect().holders == ())
            await soon(lambda: threading.active_count() <= before)

        self.run_loop(main())
        self.is_empty(self.gate, 1)

    def test_garbage_when_the_loop_ends(self):
        """a hold that a program's main task has when it ends"""

        async def main():
            hold = await self.gate.aenter()
            await asyncio.sleep(0)
            self.assertEqual(hold.slot, 0)

        with self.assertWarns(ResourceWarning):
            self.run_loop(main())
            gc.collect()
        self.is_empty(self.gate, 1)

    def test_exits_with_tasks(self):
        """a program that ends while its tasks wait and are inside ends; Ctrl-C, too"""
        script = """
import asyncio
gate = admit.Gate("gpu")
async def enters():
    async with gate:
        await asyncio.sleep(1000)
async def main():
    tasks = [asyncio.ensure_future(enters()) for _ in range(30)]
    while gate.waiters < 29:
        await asyncio.sleep(0.01)
    say("ready")
    if sys.argv[1] == "waits":
        await asyncio.gather(*tasks)
try:
    asyncio.run(main())
except KeyboardInterrupt:
    sys.exit(3)
"""
        ends = self.start(script, "ends")
        self.assertEqual(ends.wait(), 0)
        waits = self.start(script, "waits")
        self.hears(waits, "ready")
        waits.send_signal(2)
        self.assertEqual(waits.wait(), 3)
        self.is_empty(self.gate, 1)

    def test_command(self):
        """a command that is given a hold by asyncio's own subprocess"""

        async def main():
            async with self.gate as hold:
                process = await asyncio.create_subprocess_exec("sh", "-c", "exit $((7 + ADMIT_SLOT))", **hold.bequest())
                return await process.wait()

        self.assertEqual(self.run_loop(main()), 7)

    def test_closed(self):
        """a Gate that was closed"""

        async def main():
            self.gate.close()
            async with self.gate:
                self.fail("is inside")

        with self.assertRaisesRegex(ValueError, "closed"):
            self.run_loop(main())
