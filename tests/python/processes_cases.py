"""Sessions and the process: Ctrl-C, fork, the interpreter's end, sub-interpreters. Each in a process of its own."""
import time

from places import Script, WithPackage, alive, children_of, cluster_file, network

BUSY = """
import os, sys, numpy as np, shingle
session = shingle.InferenceSession(sys.argv[1], workers=2, options={"open": 1})
feed = {session.get_inputs()[0].name: np.ones(session.get_inputs()[0].shape, np.float32)}
"""
READY = "print('ready', flush=True)\n"


class Processes(WithPackage):
    def setUp(self):
        super().setUp()
        self.model = network("yolov2_front", 608)

    def ended(self, script, status, out="", err="^"):
        """It ended so, and its workers with it."""
        workers = children_of(script.process.pid)
        found = script.end()
        self.assertEqual((found[0], found[1]), (status, out), found[2])
        self.assertRegex(found[2], err)
        deadline = time.monotonic() + 10
        while any(map(alive, workers)) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual([worker for worker in workers if alive(worker)], [])
        return found[2]

    def interrupted(self, text, *words, own_group=False):
        script = Script(text, *words, own_group=own_group)
        self.addCleanup(script.process.kill)
        script.wait_until_ready()
        time.sleep(0.3)  # where it is then does not matter
        begun = time.monotonic()
        script.interrupt(group=own_group)
        return script, begun

    def test_ctrl_c_ends_run(self):
        script, begun = self.interrupted(BUSY + READY + "while True: session.run(None, feed)", self.model)
        said = self.ended(script, -2, err="KeyboardInterrupt\n$")
        self.assertLess(time.monotonic() - begun, 10)
        self.assertNotIn("Fatal", said)

    def test_ctrl_c_ends_a_wait_for_room(self):
        script, _ = self.interrupted(BUSY + READY + "while True: session.submit(None, feed)", self.model)
        self.ended(script, -2, err="KeyboardInterrupt\n$")

    def test_ctrl_c_ends_asyncio(self):
        text = BUSY + "import asyncio\nasync def main():\n  while True: await session.arun(None, feed)\n" + READY + "asyncio.run(main())"
        script, _ = self.interrupted(text, self.model)
        self.ended(script, -2, err="KeyboardInterrupt\n$")

    def test_ctrl_c_ends_a_start_that_waits_for_nodes(self):
        cluster = cluster_file(self.folder, 2)
        text = "import sys, shingle\n" + READY + "shingle.InferenceSession(sys.argv[1], cluster=sys.argv[2], node_id=0, options={'insecure': True})"
        script, begun = self.interrupted(text, self.model, cluster)
        self.ended(script, -2, err="KeyboardInterrupt\n$")
        self.assertLess(time.monotonic() - begun, 8)

    def test_a_session_survives_ctrl_c_that_is_caught(self):
        """A terminal sends it to the workers as well."""
        text = BUSY + READY + ("try:\n  while True: session.run(None, feed)\nexcept KeyboardInterrupt:\n"
                               "  print(session.run(None, feed)[0].shape[0], session.counters()['failed'])\n")
        script, _ = self.interrupted(text, self.model, own_group=True)
        self.ended(script, 0, out="1 0\n", err="^$")

    def test_a_forked_child_is_refused_and_its_parent_goes_on(self):
        text = BUSY + """
future = session.submit(None, feed)
child = os.fork()
if child == 0:
    for refused in (lambda: session.run(None, feed), lambda: session.submit(None, feed), session.counters, session.close):
        try:
            refused()
        except shingle.ForkedError as error:
            print(error)
    sys.exit(7)  # as a child that ends like any program
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), future.result()[0].shape[0], session.run(None, feed)[0].shape[0])
"""
        script = Script(text, self.model)
        status, out, err = script.end()
        self.assertEqual((status, err), (0, ""), out)
        *refused, last = out.splitlines()
        self.assertEqual(last, "7 1 1")
        self.assertEqual(len(refused), 4)
        self.assertTrue(all("fork" in line for line in refused), refused)

    def test_children_of_multiprocessing_open_their_own(self):
        text = BUSY + """
import multiprocessing
def work(count):
    with shingle.InferenceSession(sys.argv[1], workers=1) as mine:
        return float(mine.run(None, feed)[0].sum())
with multiprocessing.get_context("fork").Pool(2) as pool:
    found = pool.map(work, range(2))
print(found == [float(session.run(None, feed)[0].sum())] * 2)
"""
        self.ended(Script(text, self.model), 0, out="True\n", err="^$")

    def test_the_interpreter_ends_with_an_open_session(self):
        for name, more in (("idle", ""),
                           ("futures", "futures = [session.submit(None, feed) for _ in range(20)]\n"),
                           ("a waiting thread", "import threading, time\nthreading.Thread(target=lambda: session.run(None, feed)).start()\n"),
                           ("daemons", "import threading, time\ndef work():\n  while True: session.run(None, feed)\n"
                                       "for _ in range(4): threading.Thread(target=work, daemon=True).start()\ntime.sleep(0.2)\n"),
                           ("a cycle", "session.me = session\ndel session\n"),
                           ("an error", "raise SystemExit(0)\n")):
            with self.subTest(name):
                said = self.ended(Script(BUSY + more, self.model), 0)
                self.assertNotIn("Fatal", said)
                self.assertNotIn("terminate", said)
                if name != "daemons":  # whose calls end with ClosedError
                    self.assertEqual(said, "")

    def test_workers_end_with_a_process_that_is_killed(self):
        script = Script(BUSY + READY + "session.run(None, feed)\nimport time\ntime.sleep(60)", self.model)
        script.wait_until_ready()
        script.process.kill()
        self.ended(script, -9)

    def test_sub_interpreters_are_refused(self):
        text = ("try:\n  import _interpreters as sub\nexcept ImportError:\n  import _xxsubinterpreters as sub\n"  # before Python 3.13
                "try:\n  print(sub.run_string(sub.create(), 'import shingle').formatted)\n"
                "except getattr(sub, 'RunFailedError', ()) as error: print(error)")
        for first in ("", "import shingle\n"):
            with self.subTest(first):
                status, out, err = Script(first + text).end()
                self.assertEqual((status, err), (0, ""), out)
                self.assertRegex(out, "ImportError.*sub-?interpreter")
