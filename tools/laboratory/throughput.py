"""What a wire carries: `throughput.py receive ADDRESS` waits for one sender; `throughput.py send ADDRESS PORT SECONDS` sends
as fast as TCP does. The receiver prints its port, then one JSON line: Mb/s between the first and the last byte, without the
first half second (TCP's slow start, and what buffers let through at once)."""
import json
import socket
import sys
import time

CHUNK = bytes(65536)
WARM_UP_S = 0.5


def receive(address):
    with socket.create_server((address, 0)) as server:
        print(server.getsockname()[1], flush=True)
        connection, _ = server.accept()
    answer_pings(connection)
    begin, counted, since, last = None, 0, 0.0, 0.0
    while got := connection.recv(1 << 20):
        last = time.monotonic()
        begin = begin or last
        if last - begin < WARM_UP_S:
            since = last
        else:
            counted += len(got)
    seconds = last - since
    print(json.dumps({"mbps": round(counted * 8e-6 / seconds, 3), "seconds": round(seconds, 3)}), flush=True)


def answer_pings(connection, count=20):
    for _ in range(count):
        connection.sendall(connection.recv(1))


def send(address, port, seconds):
    connection = socket.create_connection((address, int(port)), timeout=10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    print(json.dumps({"round_trip_ms": round(median_round_trip(connection) * 1e3, 3)}), flush=True)
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        connection.sendall(CHUNK)
    connection.close()


def median_round_trip(connection, count=20):
    times = []
    for _ in range(count):
        begin = time.monotonic()
        connection.sendall(b"?")
        connection.recv(1)
        times.append(time.monotonic() - begin)
    return sorted(times)[count // 2]


if __name__ == "__main__":
    {"receive": receive, "send": send}[sys.argv[1]](*sys.argv[2:])
