// "Did you mean ...?" for the command line: the same words as for cluster files.
#pragma once

#include "devices/files/suggest.hpp"
