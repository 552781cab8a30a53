"""Namespaces and wires of a lab. Nothing is ever made in the machine's own network.

switched, a port for each host, shaped both ways:        shared, each packet once over one shaped wire:

  h0 eth0 ====== p0 \\                                      h0 tx ---> t0 \\            / r0 ---> rx h0
  h1 eth0 ====== p1 -- bridge in `net`                      h1 tx ---> t1 -- in ===> out -- r1 ---> rx h1
  h2 eth0 ====== p2 /                                       h2 tx ---> t2 /     tbf     \\ r2 ---> rx h2
     htb -->  <-- tbf
"""
from . import cluster as clusters
from . import relaying, state
from .shell import LabError, call, works

# A frame on the wire is 24 bytes longer than the kernel counts: preamble, checksum and gap. So 50 Mb/s carry the
# 47.1 Mb/s of TCP that a real port of 50 would.
ETHERNET_OVERHEAD, ETHERNET_FRAME = 24, 1538
PORT_BUFFER, AIR_BUFFER = 256 * 1024, 128 * 1024  # of a small switch, of a radio
BURST_S = 0.25e-3  # what a late timer may catch up; with 5 ms whole strips of small networks passed without delay
LEAST_BURST = 2048
FIRST_CLASS = 0x10  # tc's identifiers are hexadecimal


def make(name, cluster):
    if cluster["network"]["kind"] == "shared":
        make_shared(name, cluster)
    else:
        make_switched(name, cluster)


def add_namespace(namespace):
    call("ip", "netns", "add", namespace)
    call("ip", "-n", namespace, "link", "set", "lo", "up")


def add_wire(one, other):
    """A veth pair; each end is (namespace, device, MAC or None). Straight into the namespaces."""
    words = ["ip", "link", "add", "name", one[1], *mac(one), "netns", one[0], "type", "veth",
             "peer", "name", other[1], *mac(other), "netns", other[0]]
    call(*words)
    for namespace, device, _ in (one, other):
        # One packet at a time: what is sent as 64 KiB at once would pass a shaper as one burst.
        call("ip", "-n", namespace, "link", "set", "dev", device, "up", "gso_max_segs", "1")


def mac(end):
    return ["address", end[2]] if end[2] else []


def shape(namespace, device, mbps, delay_ms=0.0, overhead=ETHERNET_OVERHEAD, buffer=PORT_BUFFER):
    burst = max(LEAST_BURST, round(mbps * 1e6 / 8 * BURST_S))
    tbf = ["tbf", "rate", f"{round(mbps * 1e6)}bit", "burst", str(burst), "limit", str(buffer), "overhead", str(overhead)]
    parent = ["root"]
    if delay_ms > 0:
        call("tc", "-n", namespace, "qdisc", "add", "dev", device, "root", "handle", "1:", "netem",
             "delay", f"{delay_ms}ms", "limit", "100000")
        parent = ["parent", "1:1", "handle", "10:"]
    call("tc", "-n", namespace, "qdisc", "add", "dev", device, *parent, *tbf)


def shape_host(namespace, mbps, delay_ms, others):
    """A board's own port. Packets to each other host have a queue, and the queues take turns, as connections do on a board (Linux
    takes fq_codel there). In one queue a small message would wait for all that lies before it, whoever it is for.

    `others`: by other host, what tells its packets apart, as lists of u32's matches."""
    parent = ["root"]
    if delay_ms > 0:
        add(namespace, "qdisc", "root", "handle", "1:", "netem", "delay", f"{delay_ms}ms", "limit", "100000")
        parent = ["parent", "1:1"]
    add(namespace, "qdisc", *parent, "handle", "2:", "htb", "default", f"{FIRST_CLASS:x}")
    add(namespace, "class", "parent", "2:", "classid", "2:1", *htb(mbps, mbps))
    for number, matches in enumerate([[], *others]):  # the first: what goes to none of them
        queue = f"{FIRST_CLASS + number:x}"
        add(namespace, "class", "parent", "2:1", "classid", f"2:{queue}", *way_rates(mbps, mbps, len(others)))
        add(namespace, "qdisc", "parent", f"2:{queue}", "handle", f"{queue}:", "bfifo", "limit", str(PORT_BUFFER))
        for match in matches:
            add(namespace, "filter", "parent", "2:", "protocol", "ip", "u32", *match, "flowid", f"2:{queue}")


def limit_way(namespace, port_mbps, way_mbps, other, others):
    """What goes to the `other`th of so many hosts takes at most so much of the port."""
    call("tc", "-n", namespace, "class", "change", "dev", "eth0", "parent", "2:1", "classid", f"2:{FIRST_CLASS + 1 + other:x}",
         *way_rates(port_mbps, way_mbps, others))


def add(namespace, what, *words):
    call("tc", "-n", namespace, what, "add", "dev", "eth0", *words)


def way_rates(port_mbps, way_mbps, others):
    return htb(min(way_mbps, port_mbps / (others + 1)), way_mbps)


def htb(least_mbps, most_mbps):
    burst = str(max(LEAST_BURST, round(most_mbps * 1e6 / 8 * BURST_S)))
    return ["htb", "rate", f"{round(least_mbps * 1e6)}bit", "ceil", f"{round(most_mbps * 1e6)}bit", "burst", burst, "cburst", burst,
            "overhead", str(ETHERNET_OVERHEAD), "quantum", str(ETHERNET_FRAME)]


def has_netem(namespace, device):
    """Whether the kernel has it; tried in a namespace of its own."""
    added = works("tc", "-n", namespace, "qdisc", "add", "dev", device, "root", "netem", "delay", "1ms")
    if added:
        call("tc", "-n", namespace, "qdisc", "del", "dev", device, "root")
    return added


def kernel_delay(cluster, namespace, device):
    """The delay that the kernel makes; 0 if it cannot, then the relay makes it."""
    delay = cluster["network"]["delay_ms"]
    return delay if delay > 0 and has_netem(namespace, device) else 0.0


def delayed_by_kernel(name, cluster):
    namespace, device = ((state.namespace(name, "in"), "air") if cluster["network"]["kind"] == "shared"
                         else (state.host_namespace(name, 0), "eth0"))
    return "netem" in call("tc", "-n", namespace, "qdisc", "show", "dev", device)


def make_switched(name, cluster):
    net = state.namespace(name, "net")
    add_namespace(net)
    call("ip", "-n", net, "link", "add", "bridge", "type", "bridge")
    call("ip", "-n", net, "address", "add", f"{clusters.gateway(cluster)}/24", "dev", "bridge")
    call("ip", "-n", net, "link", "set", "bridge", "up")
    for host, address in enumerate(clusters.hosts(cluster)):
        namespace, port = state.host_namespace(name, host), f"p{host}"
        add_namespace(namespace)
        add_wire((namespace, "eth0", None), (net, port, None))
        call("ip", "-n", net, "link", "set", port, "master", "bridge")
        call("ip", "-n", namespace, "address", "add", f"{address}/24", "dev", "eth0")
        mbps = clusters.port_mbps(cluster, host)
        shape_host(namespace, mbps, kernel_delay(cluster, namespace, "eth0"), ways_of(cluster, host))
        shape(net, port, mbps)


def ways_of(cluster, host):
    """By other host: its address, and the ports of the relay's ways to it, should there be a relay."""
    gateway, found = str(clusters.gateway(cluster)), []
    for other in clusters.others(cluster, host):
        ports = [way["port"] for way in relaying.ways(cluster)
                 if clusters.host_of(cluster, way["from"]) == host and clusters.host_of(cluster, way["to"]) == other]
        found.append([["match", "ip", "dst", f"{clusters.hosts(cluster)[other]}/32"],
                      *(["match", "ip", "dst", f"{gateway}/32", "match", "ip", "dport", str(port), "0xffff"] for port in ports)])
    return found


def set_kernel(namespace, values):
    """What /proc/sys/net says in that namespace."""
    call("ip", "netns", "exec", namespace, "sysctl", "-q", "-w", *(f"net.ipv4.{key}={value}" for key, value in values.items()))


ROUTER = {"ip_forward": 1, "conf.all.rp_filter": 0, "conf.default.rp_filter": 0, "conf.all.send_redirects": 0,
          "conf.default.send_redirects": 0}
HOST = {"conf.all.rp_filter": 0, "conf.default.rp_filter": 0}


def hardware(kind, host):
    return f"02:5e:00:0{kind}:{host // 256:02x}:{host % 256:02x}"


def make_shared(name, cluster):
    inward, outward = state.namespace(name, "in"), state.namespace(name, "out")
    network = str(clusters.subnet(cluster))
    for namespace in (inward, outward):
        add_namespace(namespace)
        set_kernel(namespace, ROUTER)
    add_wire((inward, "air", hardware(0, 1)), (outward, "air", hardware(0, 2)))
    route(inward, network, "air", hardware(0, 2))
    # Without Ethernet's overhead: mbps is what packets with their headers may take together, acknowledgements included.
    shape(inward, "air", cluster["network"]["mbps"], kernel_delay(cluster, inward, "air"), overhead=0, buffer=AIR_BUFFER)
    for host, address in enumerate(clusters.hosts(cluster)):
        add_shared_host(name, host, address, network)


def add_shared_host(name, host, address, network):
    inward, outward, namespace = (state.namespace(name, part) for part in ("in", "out", f"h{host}"))
    add_namespace(namespace)
    set_kernel(namespace, HOST)
    add_wire((namespace, "tx", hardware(1, host)), (inward, f"t{host}", hardware(2, host)))
    add_wire((namespace, "rx", hardware(3, host)), (outward, f"r{host}", hardware(4, host)))
    call("ip", "-n", namespace, "address", "add", f"{address}/32", "dev", "rx")
    route(namespace, network, "tx", hardware(2, host), source=address)
    call("ip", "-n", outward, "neighbour", "add", address, "lladdr", hardware(3, host), "dev", f"r{host}", "nud", "permanent")
    call("ip", "-n", outward, "route", "add", f"{address}/32", "dev", f"r{host}")


def route(namespace, network, device, next_mac, source=None):
    """To the one machine at the other end of the wire, whose address nobody needs to know."""
    next_hop = "169.254.0.1"
    call("ip", "-n", namespace, "neighbour", "add", next_hop, "lladdr", next_mac, "dev", device, "nud", "permanent")
    call("ip", "-n", namespace, "route", "add", network, "via", next_hop, "dev", device, "onlink",
         *(["src", source] if source else []))


def check_relay(cluster):
    if cluster["network"]["kind"] == "shared":
        raise LabError("the relay stands at a switch; a shared medium takes delay and faults from the kernel's netem only")
