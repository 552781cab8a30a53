#!/usr/bin/env python3
"""A network simulator in 80 lines, as an example of the protocol in docs/develop/network_pipe.md: each message takes a fixed
delay and its bytes' time at a fixed rate, behind those that were sent before it on the same connection.

  fixed_delay.py [DELAY_MS [MBIT_PER_SECOND]]      5 ms and 100 Mb/s unless given
"""
import heapq
import re
import sys

LONGEST_LINE = 4096  # bytes, with its newline
MOST_IN_ANSWER = 100


class Refusal(Exception):
    """Ends the conversation: its text goes to the other side."""


def number(word, what, most):
    if not re.fullmatch("[0-9]{1,18}", word) or int(word) > most:
        raise Refusal(f"{what} must be a whole number up to {most}, not '{word[:40]}'")
    return int(word)


class Network:
    def __init__(self, delay_ns, bits_per_second):
        self.delay_ns, self.bits_per_second = delay_ns, bits_per_second
        self.now = 0
        self.hosts, self.connections = set(), set()
        self.free = {}       # (from, to) -> when the connection has sent all that it has
        self.under_way = []  # a heap of (time of arrival, number of the send, id)
        self.ids = set()     # of messages under way
        self.sends = 0
        self.begun = False

    def hello(self, protocol, version):
        if (protocol, version) != ("shingle-network", "1"):
            raise Refusal("this program speaks 'shingle-network 1' only")
        return "hello 1 fixed-delay 1.0"

    def start(self):
        self.begun = True
        return "ok"

    def host(self, host):
        self.hosts.add(number(host, "a host", 65_535))
        return "ok"

    def connect(self, a, b):
        pair = number(a, "a host", 65_535), number(b, "a host", 65_535)
        if not self.hosts.issuperset(pair) or pair[0] == pair[1]:
            raise Refusal(f"there are no two hosts {a} and {b}")
        self.connections.update((pair, pair[::-1]))
        return "ok"

    def ignored(self, *_):  # switches, links, cells: every way takes the same time here
        return "ok"

    def send(self, message, source, target, size):
        message, size = number(message, "an id", 10**18 - 1), number(size, "a size", 2**30)
        way = number(source, "a host", 65_535), number(target, "a host", 65_535)
        if way not in self.connections or message in self.ids or size == 0:
            raise Refusal(f"message {message} cannot be sent")
        self.free[way] = max(self.now, self.free.get(way, 0)) + size * 8 * 10**9 // self.bits_per_second
        heapq.heappush(self.under_way, (self.free[way] + self.delay_ns, self.sends, message))
        self.ids.add(message)
        self.sends += 1
        return "ok"

    def advance(self, end):
        end = number(end, "a time", 10**15)
        if end < self.now:
            raise Refusal("time does not go back")
        self.now = min(end, self.under_way[0][0]) if self.under_way else end
        delivered = []
        while self.under_way and self.under_way[0][0] == self.now and len(delivered) < MOST_IN_ANSWER:
            delivered.append(heapq.heappop(self.under_way)[2])
        self.ids.difference_update(delivered)
        return " ".join(["delivered", str(self.now), *map(str, delivered)])


BEFORE = {"seed": (Network.ignored, 1), "host": (Network.host, 1), "switch": (Network.ignored, 1), "link": (Network.ignored, 7),
          "cell": (Network.ignored, 3), "station": (Network.ignored, 2), "connect": (Network.connect, 2), "start": (Network.start, 0)}
AFTER = {"send": (Network.send, 4), "advance": (Network.advance, 1), "rates": (Network.ignored, 4)}


def answer(network, greeted, line):
    word, *rest = line.split(" ")
    requests = {"hello": (Network.hello, 2)} if not greeted else AFTER if network.begun else BEFORE
    handler, count = requests.get(word, (None, 0))
    if handler is None or len(rest) != count:
        raise Refusal(f"'{word[:40]}' with {len(rest)} words is no request here")
    return handler(network, *rest)


def main():
    given = [float(word) for word in sys.argv[1:]]
    delay_ms, mbps = given + [5.0, 100.0][len(given):]
    network, greeted = Network(round(delay_ms * 1e6), round(mbps * 1e6)), False
    try:
        while line := sys.stdin.buffer.readline(LONGEST_LINE):
            if not line.endswith(b"\n") or not re.fullmatch(b"[ -~]*\n", line):
                raise Refusal("a line is too long or not printable ASCII")
            print(answer(network, greeted, line[:-1].decode()), flush=True)
            greeted = True
    except Refusal as refusal:
        print(f"error {refusal}", flush=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
