// The program `shingle`.
#include "apps/command_line.hpp"

int main(int argc, char** argv) { return shingle::run_command_line(argc, argv); }
