"""A relay of TCP connections that delays, holds, cuts and flips bits, where the kernel has no netem: `relay.py FILE`.

It is a program of its own with real sockets, and lives with the lab because nothing else starts it: what passes through it
is the real wire of real nodes. Unlike netem it stands above TCP, so a flipped bit reaches the program (below TCP a checksum
would catch it).

FILE is JSON: {"address", "ways": [{"from", "to", "port", "address", "at"}], "rules": {"FROM:TO": {...}}}. A way is a port where
node FROM finds node TO. Rules are read again on SIGHUP; each is for one direction of all bytes between two nodes:
  delay_ms   bytes arrive so much later        hold   bytes do not arrive (a one-way drop)
  cut        connections end, none is made     flip_every   one bit of so many bytes is flipped"""
import asyncio
import json
import random
import selectors
import signal
import sys
import time

CHUNK = 32768
MOST_UNDER_WAY = 256  # chunks of one direction: 8 MiB, then the sender waits


class Relay:
    def __init__(self, path):
        self.path = path
        self.dice = random.Random(1)
        self.open = {}  # (from, to) -> transports to be cut
        self.changed = asyncio.Event()
        self.load()

    def load(self):
        with open(self.path, encoding="utf-8") as file:
            self.plan = json.load(file)
        for way, transports in self.open.items():
            if self.is_cut(*way):
                for transport in list(transports):
                    transport.abort()
        self.changed.set()
        self.changed = asyncio.Event()

    def rule(self, source, target):
        return self.plan["rules"].get(f"{source}:{target}", {})

    def is_cut(self, one, other):
        return self.rule(one, other).get("cut") or self.rule(other, one).get("cut")

    async def serve(self):
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self.load)
        servers = [await asyncio.start_server(self.joining(way), self.plan["address"], way["port"]) for way in self.plan["ways"]]
        print("ready", flush=True)
        await asyncio.gather(*(server.serve_forever() for server in servers))

    def joining(self, way):
        async def join(near_reader, near_writer):
            ends = (way["from"], way["to"])
            if self.is_cut(*ends):
                near_writer.transport.abort()
                return
            try:
                far_reader, far_writer = await asyncio.open_connection(way["address"], way["at"])
            except OSError:
                near_writer.transport.abort()
                return
            transports = self.open.setdefault(ends, set())
            pair = {near_writer.transport, far_writer.transport}
            transports |= pair
            if self.is_cut(*ends):  # since it began to connect
                near_writer.transport.abort()
                far_writer.transport.abort()
            await asyncio.gather(self.carry(near_reader, far_writer, *ends), self.carry(far_reader, near_writer, *ends[::-1]))
            for transport in pair:
                transport.close()
            transports -= pair
        return join

    async def carry(self, reader, writer, source, target):
        queue = asyncio.Queue(MOST_UNDER_WAY)
        sending = asyncio.create_task(self.send(queue, writer, source, target))
        try:
            while chunk := await reader.read(CHUNK):
                await queue.put((time.monotonic(), chunk))
        except OSError:
            pass
        await queue.put(None)
        await sending

    async def send(self, queue, writer, source, target):
        try:
            while item := await queue.get():
                arrived, chunk = item
                await self.pass_time(arrived, source, target)
                writer.write(self.flipped(chunk, self.rule(source, target).get("flip_every", 0)))
                await writer.drain()
            writer.write_eof()  # the other direction may go on
        except OSError:
            writer.transport.abort()
        while item:  # so that the reader ends
            item = await queue.get()

    async def pass_time(self, arrived, source, target):
        while True:
            rule = self.rule(source, target)
            left = arrived + rule.get("delay_ms", 0.0) * 1e-3 - time.monotonic()
            if not rule.get("hold") and left <= 0:
                return
            try:
                await asyncio.wait_for(self.changed.wait(), None if rule.get("hold") else left)
            except asyncio.TimeoutError:
                pass

    def flipped(self, chunk, every):
        if not every or self.dice.random() >= len(chunk) / every:
            return chunk
        changed = bytearray(chunk)
        changed[self.dice.randrange(len(chunk))] ^= 1 << self.dice.randrange(8)
        return bytes(changed)


async def main(path):
    await Relay(path).serve()


if __name__ == "__main__":
    # Not epoll, which waits for whole milliseconds: a message crosses the relay several times for each frame.
    try:
        with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selectors.SelectSelector())) as runner:
            runner.run(main(sys.argv[1]))
    except KeyboardInterrupt:
        pass
