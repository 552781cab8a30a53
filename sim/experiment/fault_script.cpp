#include "sim/experiment/fault_script.hpp"

namespace shingle::sim {

void put_in(VirtualCluster& cluster, Time at, const ExperimentFault& fault) {
  switch (fault.kind) {
    case FaultKind::crash:
      return cluster.crash(at, fault.node);
    case FaultKind::power_off:
      return cluster.lose_power(at, fault.node);
    case FaultKind::restart:
      return cluster.restart(at, fault.node);
    case FaultKind::hang:
      return cluster.hang(at, fault.node);
    case FaultKind::wake:
      return cluster.wake(at, fault.node);
    case FaultKind::slow:
      return cluster.slow(at, fault.node, fault.factor);
    case FaultKind::stall:
      return cluster.stall(at, fault.node);
    case FaultKind::resume:
      return cluster.resume(at, fault.node);
    case FaultKind::break_executor:
      return cluster.break_executor(at, fault.node);
    case FaultKind::damage_weights:
      return cluster.damage_weights(at, fault.node);
    case FaultKind::spoil:
      return cluster.spoil(at, fault.node, fault.factor);
    case FaultKind::squeeze:
      return cluster.squeeze(at, fault.node);
    case FaultKind::relieve:
      return cluster.relieve(at, fault.node);
    case FaultKind::cut:
      return cluster.disconnect(at, fault.node, fault.other);
    case FaultKind::mend:
      return cluster.reconnect(at, fault.node, fault.other);
    case FaultKind::reset:
      return cluster.reset(at, fault.node, fault.other);
    case FaultKind::clog:
      return cluster.clog(at, fault.node, fault.other);
    case FaultKind::unclog:
      return cluster.unclog(at, fault.node, fault.other);
    case FaultKind::corrupt:
      return cluster.corrupt(at, fault.node, fault.other);
  }
}

}  // namespace shingle::sim
