// What every executor asks of a program before it runs it.
#pragma once

#include "partition/program.hpp"
#include "partition/result.hpp"

namespace shingle {

// Refuses a program that puts out what none of its steps computes.
Status check_program(const Model& model, const TileProgram& program);

}  // namespace shingle
