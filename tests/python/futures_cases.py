"""Requests under way: futures, asyncio, deadlines, cancellation, room."""
import asyncio
import concurrent.futures
import gc
import logging
import os
import signal
import subprocess
import threading
import time
import weakref

from places import PROGRAM, WithPackage, children_of, cluster_file, network

try:
    import numpy as np

    import shingle
except ImportError:  # the tests are skipped
    pass


class Requests(WithPackage):
    """A network that takes a while, one frame at a time: what is submitted after the first has to wait."""

    @classmethod
    def setUpClass(cls):
        cls.session = shingle.InferenceSession(network("yolov2_front", 608), workers=2, options={"open": 1, "queue": 6})
        cls.addClassCleanup(cls.session.close)
        (taken,) = cls.session.get_inputs()
        dice = np.random.default_rng(3)
        cls.feeds = [{taken.name: dice.random(taken.shape, np.float32)} for _ in range(3)]
        cls.wanted = [cls.session.run(None, feed)[0].tobytes() for feed in cls.feeds]

    def test_futures_give_what_run_gives(self):
        futures = [self.session.submit(None, feed) for feed in self.feeds]
        done, waiting = concurrent.futures.wait(futures, timeout=60)
        self.assertEqual((len(done), len(waiting)), (3, 0))
        self.assertEqual([future.result()[0].tobytes() for future in futures], self.wanted)

    def test_a_callback_of_a_future_may_run_the_session(self):
        found = concurrent.futures.Future()
        self.session.submit(None, self.feeds[0]).add_done_callback(
            lambda _: found.set_result(self.session.run(None, self.feeds[1])))
        self.assertEqual(found.result(60)[0].tobytes(), self.wanted[1])

    def test_cancel_ends_requests_that_wait_and_that_are_computed(self):
        before = self.session.counters()["cancelled"]
        futures = [self.session.submit(None, self.feeds[0]) for _ in range(4)]
        self.assertTrue(all(future.cancel() for future in futures[:3]))
        self.assertEqual(futures[3].result(60)[0].tobytes(), self.wanted[0])
        done, _ = concurrent.futures.wait(futures, timeout=60)  # cancelled ones count as done once their threads said so
        self.assertEqual(len(done), 4)
        self.assertRaises(concurrent.futures.CancelledError, futures[0].result)
        self.assertEqual(self.session.counters()["cancelled"] - before, 3)
        self.assertFalse(futures[3].cancel())

    def test_a_deadline_ends_a_request(self):
        with self.assertRaises(shingle.LateError) as late:
            self.session.run(None, self.feeds[0], deadline=0.001)
        self.assertIsInstance(late.exception, TimeoutError)
        self.assertIsInstance(self.session.submit(None, self.feeds[0], deadline=0.001).exception(60), shingle.LateError)
        self.assertEqual(self.session.run(None, self.feeds[0], deadline=60)[0].tobytes(), self.wanted[0])

    def test_a_full_queue_is_said_or_waited_for(self):
        futures, feed = [], self.feeds[0]
        with self.assertRaises(shingle.BusyError):
            for _ in range(100):
                futures.append(self.session.submit(None, feed, room_wait=0))
        begun = time.monotonic()
        with self.assertRaises(shingle.BusyError):
            for _ in range(100):  # the first ones may find room
                futures.append(self.session.submit(None, feed, room_wait=0.001))
        futures.append(self.session.submit(None, feed))
        self.assertLess(time.monotonic() - begun, 60)
        self.assertTrue(all(future.result(60)[0].tobytes() == self.wanted[0] for future in futures))

    def test_asyncio_waits_for_room_without_blocking_its_loop(self):
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.005)
                ticks += 1

        async def main():
            ticking = asyncio.create_task(tick())
            found = await asyncio.gather(*(self.session.arun(None, self.feeds[i % 3]) for i in range(14)))
            ticking.cancel()
            return found

        found = asyncio.run(main())
        self.assertEqual([each[0].tobytes() for each in found], [self.wanted[i % 3] for i in range(14)])
        self.assertGreater(ticks, 10)

    def test_threads_and_loops_share_the_room(self):
        async def some():
            return await asyncio.gather(*(self.session.arun(None, self.feeds[0]) for _ in range(5)))

        with concurrent.futures.ThreadPoolExecutor(3) as threads:
            loops = [threads.submit(asyncio.run, some()) for _ in range(2)]
            runs = [threads.submit(self.session.run, None, self.feeds[0]) for _ in range(4)]
            found = [each for loop in loops for each in loop.result(120)] + [run.result(120) for run in runs]
        self.assertEqual([each[0].tobytes() for each in found], [self.wanted[0]] * 14)

    def test_a_cancelled_task_cancels_its_request(self):
        async def main():
            task = asyncio.create_task(self.session.arun(None, self.feeds[0]))
            behind = asyncio.create_task(self.session.arun(None, self.feeds[1]))
            await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(self.session.arun(None, self.feeds[0]), 0.001)
            return await behind

        before = self.session.counters()["cancelled"]
        self.assertEqual(asyncio.run(main())[0].tobytes(), self.wanted[1])
        self.assertEqual(self.session.counters()["cancelled"] - before, 2)

    def test_cancelled_tasks_that_wait_for_room_leave_it_to_others(self):
        async def main():
            tasks = [asyncio.create_task(self.session.arun(None, self.feeds[0])) for _ in range(16)]
            await asyncio.sleep(0)
            for task in tasks[7:14]:
                task.cancel()
            return await asyncio.gather(*tasks, return_exceptions=True)

        found = asyncio.run(main())
        self.assertEqual(sum(isinstance(each, asyncio.CancelledError) for each in found), 7)
        self.assertEqual({each[0].tobytes() for each in found[14:]}, {self.wanted[0]})

    def test_other_threads_of_python_run_meanwhile(self):
        counted, stop = 0, threading.Event()

        def count():
            nonlocal counted
            while not stop.wait(0.001):
                counted += 1

        counting = threading.Thread(target=count)
        counting.start()
        begun = time.monotonic()
        self.session.run(None, self.feeds[0])
        seconds = time.monotonic() - begun
        stop.set()
        counting.join()
        self.assertGreater(counted, seconds * 50)


class Sessions(WithPackage):
    """How sessions end."""

    def open(self, **words):
        return shingle.InferenceSession(network("tiny", 64), workers=2, **words)

    def feed(self, session):
        return {session.get_inputs()[0].name: np.ones((1, 3, 64, 64), np.float32)}

    def test_closing_ends_what_is_under_way_and_the_workers(self):
        session = shingle.InferenceSession(network("yolov2_front", 608), workers=2, options={"open": 1})
        feed = {session.get_inputs()[0].name: np.ones((1, 3, 608, 608), np.float32)}
        workers = children_of(os.getpid())
        self.assertGreaterEqual(len(workers), 2)
        futures = [session.submit(None, feed) for _ in range(5)]
        session.close()
        session.close()
        self.assertIsInstance(futures[-1].exception(10), shingle.ClosedError)
        for refused in (lambda: session.run(None, feed), lambda: session.submit(None, feed)):
            self.assertRaisesRegex(shingle.ClosedError, "closed", refused)
        self.assertRaises(shingle.ClosedError, asyncio.run, session.arun(None, feed))

    def test_closing_ends_tasks_that_wait_for_room(self):
        session = shingle.InferenceSession(network("yolov2_front", 608), workers=2, options={"open": 1, "queue": 2})
        feed = {session.get_inputs()[0].name: np.ones((1, 3, 608, 608), np.float32)}

        async def main():
            tasks = [asyncio.create_task(session.arun(None, feed)) for _ in range(40)]
            await asyncio.sleep(0.2)
            await asyncio.to_thread(session.close)
            done, waiting = await asyncio.wait(tasks, timeout=30)
            for task in waiting:
                task.cancel()
            return [task.exception() for task in tasks if task in done], len(waiting)

        errors, waiting = asyncio.run(main())
        self.assertEqual(waiting, 0)
        self.assertIsInstance(errors[-1], shingle.ClosedError)
        self.assertTrue(all(error is None or isinstance(error, shingle.ClosedError) for error in errors))

    def test_a_cluster_of_nodes(self):
        model, cluster = network("tiny", 64), cluster_file(self.folder, 3)
        for i in (1, 2):
            node = subprocess.Popen([PROGRAM, "node", "--cluster", cluster, "--id", str(i), "--insecure", "--models", model],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(node.wait)
            self.addCleanup(node.terminate)
        with self.open() as alone, shingle.InferenceSession(model, cluster=cluster, node_id=0, options={"insecure": True}) as session:
            feed = self.feed(session)
            self.assertEqual(session.run(None, feed)[0].tobytes(), alone.run(None, feed)[0].tobytes())
            self.assertEqual(session.counters()["nodes"], 2)

    def test_with_closes(self):
        with self.open() as session:
            feed = self.feed(session)
            session.run(None, feed)
        self.assertRaises(shingle.ClosedError, session.run, None, feed)

    def test_a_forgotten_session_is_closed(self):
        before = set(children_of(os.getpid()))
        session = self.open()
        workers = set(children_of(os.getpid())) - before
        self.assertEqual(len(workers), 2)
        gone = weakref.ref(session)
        del session
        gc.collect()
        self.assertIsNone(gone())
        self.assertFalse(workers & set(children_of(os.getpid())))

    def test_a_future_keeps_its_session(self):
        session = self.open()
        future = session.submit(None, self.feed(session))
        del session
        self.assertEqual(future.result(60)[0].shape, (1, 8, 32, 32))

    def test_a_session_may_be_closed_by_a_callback(self):
        session = self.open()
        feed = self.feed(session)
        closed = concurrent.futures.Future()
        session.submit(None, feed).add_done_callback(lambda _: closed.set_result(session.close()))
        closed.result(60)
        self.assertRaises(shingle.ClosedError, session.run, None, feed)

    def test_notes_go_to_the_logger(self):
        before = set(children_of(os.getpid()))
        with self.open() as session, self.assertLogs("shingle", logging.INFO) as notes:
            (first, _) = set(children_of(os.getpid())) - before
            session.run(None, self.feed(session))
            os.kill(first, signal.SIGKILL)
            deadline = time.monotonic() + 30
            while not notes.records and time.monotonic() < deadline:
                session.run(None, self.feed(session))
        self.assertIn("lost", notes.output[0])
