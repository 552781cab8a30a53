// "Did you mean ...?" for the command line, by the same rules as for cluster files.
#pragma once

#include "devices/files/suggest.hpp"
