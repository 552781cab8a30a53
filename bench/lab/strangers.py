"""Callers at a node's port who are no members: what they send, how slowly, and what they receive.

A ZMTP connection begins with 64 bytes of each side's greeting; then come frames, of which commands (flag 4) still belong to the
handshake. Anything else that a stranger receives is an answer of the application, which is an error."""
import selectors
import socket
import threading
import time

GREETING_BYTES = 64
COMMAND, LONG = 0x04, 0x02


def greeting(mechanism):
    return b"\xff" + bytes(8) + b"\x7f\x03\x01" + mechanism.ljust(20, b"\0") + bytes(32)


def frame(flags, body):
    return bytes([flags, len(body)]) + body


WORDS = [  # a stranger's whole say, by turns
    b"",
    b"GET / HTTP/1.1\r\nHost: node\r\n\r\n",
    bytes(range(256)),
    greeting(b"NULL") + frame(COMMAND, b"\x05READY" + b"\x0bSocket-Type\0\0\0\x06DEALER") + frame(0, b"\x08\0\0\0SHGL" + bytes(40)),
    greeting(b"CURVE") + frame(COMMAND, b"\x05HELLO\x01\0" + bytes(72) + b"k" * 32 + bytes(8) + b"b" * 80),
    greeting(b"PLAIN") + frame(COMMAND, b"\x05HELLO" + b"\x04node\x04node"),
]


def answers(heard):
    """Frames of the application in what a stranger heard."""
    at, count = GREETING_BYTES, 0
    while at < len(heard):
        header = 9 if heard[at] & LONG else 2
        length = int.from_bytes(heard[at + 1:at + header], "big")
        count += not heard[at] & COMMAND
        at += header + length
    return count


def call(port):
    caller = socket.socket()
    caller.setblocking(False)
    caller.connect_ex(("127.0.0.1", port))
    return caller


class Crowd(threading.Thread):
    """Opens `a_second` connections per second, at most `at_once` at a time, until `enough` is set. Each sends its words and listens
    until it is disconnected or `patience_s` is over."""

    def __init__(self, port, a_second, at_once=200, patience_s=0.5):
        super().__init__()
        self.port, self.a_second, self.at_once, self.patience_s = port, a_second, at_once, patience_s
        self.made = self.replies = self.hung_up_on = 0
        self.enough = threading.Event()

    def run(self):
        begin = time.monotonic()
        with selectors.DefaultSelector() as chosen:
            while not self.enough.is_set() or chosen.get_map():
                due = 0 if self.enough.is_set() else 1 + (time.monotonic() - begin) * self.a_second
                while self.made < due and len(chosen.get_map()) < self.at_once:
                    state = {"words": WORDS[self.made % len(WORDS)], "heard": b"", "until": time.monotonic() + self.patience_s}
                    chosen.register(call(self.port), selectors.EVENT_READ | selectors.EVENT_WRITE, state)
                    self.made += 1
                for key, events in chosen.select(0.01):
                    self.attend(chosen, key, events)
                for key in [each for each in chosen.get_map().values() if each.data["until"] < time.monotonic()]:
                    self.leave(chosen, key)

    def attend(self, chosen, key, events):
        try:
            if events & selectors.EVENT_WRITE:
                if key.data["words"]:
                    key.fileobj.send(key.data["words"])
                chosen.modify(key.fileobj, selectors.EVENT_READ, key.data)
            if events & selectors.EVENT_READ:
                heard = key.fileobj.recv(65536)
                key.data["heard"] += heard
                if not heard:
                    raise ConnectionResetError
        except OSError:
            self.hung_up_on += 1
            self.leave(chosen, key)

    def leave(self, chosen, key):
        chosen.unregister(key.fileobj)
        key.fileobj.close()
        self.replies += answers(key.data["heard"])


class Slow(threading.Thread):
    """`count` connections at once that say a byte of a greeting now and then, and call again when they are hung up on."""

    def __init__(self, port, count, pause_s=0.5):
        super().__init__()
        self.port, self.count, self.pause_s = port, count, pause_s
        self.calls = self.replies = 0
        self.enough = threading.Event()

    def run(self):
        lines = [self.fresh() for _ in range(self.count)]
        while not self.enough.wait(self.pause_s):
            lines = [self.go_on(line) for line in lines]
        for line in lines:
            self.replies += answers(line["heard"])
            line["socket"].close()

    def fresh(self):
        self.calls += 1
        return {"socket": call(self.port), "said": 0, "heard": b""}

    def go_on(self, line):
        words = greeting(b"CURVE")
        try:
            if line["said"] < len(words) - 1:
                line["said"] += line["socket"].send(words[line["said"]:line["said"] + 1])
            heard = line["socket"].recv(65536)
            line["heard"] += heard
            if heard:
                return line
        except BlockingIOError:
            return line
        except OSError:
            pass
        self.replies += answers(line["heard"])
        line["socket"].close()
        return self.fresh()


class Tap(threading.Thread):
    """Between a dialler and a port: passes everything on and keeps what the dialler said, up to `most` bytes."""

    def __init__(self, target, most=64 << 20):
        super().__init__(daemon=True)
        self.target, self.most = target, most
        self.heard = bytearray()
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]

    def run(self):
        while True:
            try:
                caller, _ = self.listening.accept()
            except OSError:
                return
            try:
                answerer = socket.create_connection(("127.0.0.1", self.target))
            except OSError:  # not there yet: the dialler tries again
                caller.close()
                continue
            threading.Thread(target=self.pass_on, args=(caller, answerer, True), daemon=True).start()
            threading.Thread(target=self.pass_on, args=(answerer, caller, False), daemon=True).start()

    def pass_on(self, source, target, keep):
        try:
            while part := source.recv(65536):
                if keep and len(self.heard) < self.most:
                    self.heard += part
                target.sendall(part)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listening.close()
