// The program `shingle`.
#include "apps/shingle/command_line.hpp"

int main(int argc, char** argv) { return shingle::run_command_line(argc, argv); }
