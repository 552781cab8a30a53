// pow for floats, computed in double with additions, multiplications and divisions only. The bits
// are the same on every machine; the error is at most one unit in the last place.
#pragma once

namespace shingle::float_math {

// Special cases as in IEEE 754: a negative base allows whole exponents only; pow(x, 0) and pow(1,
// y) are 1.
float pow(float base, float exponent);

}  // namespace shingle::float_math
