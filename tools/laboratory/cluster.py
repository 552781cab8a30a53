"""The cluster file, read by the program's own reader, and what it means here: nodes with one address share a host.

A host is a network namespace; its number is its place among the addresses, in the order of the file."""
import ipaddress
import json
import pathlib
import subprocess

from .shell import LabError

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "build/release/apps/shingle"


def read(path, program):
    if not pathlib.Path(program).exists():
        raise LabError(f"'{program}' is not built; run tools/test apps or give --program")
    done = subprocess.run([program, "cluster", path, "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LabError(done.stderr.strip().removeprefix("shingle: "), done.returncode)
    cluster = json.loads(done.stdout)
    check_addresses(cluster, path)
    return cluster


def check_addresses(cluster, path):
    for node in cluster["nodes"]:
        try:
            address = ipaddress.IPv4Address(node["address"])
        except ValueError:
            raise LabError(f"{path}: node {node['id']}: '{node['address']}' is no IPv4 address, which the lab needs", 3)
        if address.is_loopback:
            raise LabError(f"{path}: node {node['id']} is on loopback; the lab gives each address a network namespace: "
                           "write 10.77.0.10 and so on", 3)
        if address not in subnet(cluster) or address == gateway(cluster):
            raise LabError(f"{path}: node {node['id']}: {address} is not in {subnet(cluster)} beside the lab's own "
                           f"{gateway(cluster)}", 3)


def subnet(cluster):
    return ipaddress.IPv4Network((cluster["nodes"][0]["address"], 24), strict=False)


def gateway(cluster):
    """The bridge's own address, where the relay listens."""
    return subnet(cluster).network_address + 1


def hosts(cluster):
    """Addresses, each once."""
    return list(dict.fromkeys(node["address"] for node in cluster["nodes"]))


def others(cluster, host):
    """All hosts but that one."""
    return [other for other in range(len(hosts(cluster))) if other != host]


def host_of(cluster, node_id):
    return hosts(cluster).index(node(cluster, node_id)["address"])


def node(cluster, node_id):
    for each in cluster["nodes"]:
        if each["id"] == node_id:
            return each
    raise LabError(f"the cluster has no node {node_id}; it has {', '.join(str(n['id']) for n in cluster['nodes'])}", 2)


def nodes_of_host(cluster, host):
    return [each for each in cluster["nodes"] if each["address"] == hosts(cluster)[host]]


def port_mbps(cluster, host):
    """The rate of a host's port: the highest that the file gives one of its nodes."""
    return max(each["link_mbps"] for each in nodes_of_host(cluster, host))
