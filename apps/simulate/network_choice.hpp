// The network that `shingle simulate --network` and `--audit` name.
#pragma once

#include <chrono>
#include <string>

#include "sim/experiment/packets.hpp"

namespace shingle {

// "ns3", or a program with its arguments, separated by spaces: "python3 delays.py 5". "fluid" gives
// an empty function: no simulator. The error says how to get what is absent. `patience`: for one
// answer of the program.
Result<sim::StartSimulator> network_simulator(
    const std::string& wanted, std::chrono::milliseconds patience = std::chrono::seconds(60));

}  // namespace shingle
