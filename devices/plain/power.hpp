// pow for floats, worked out in double from additions, multiplications and divisions only: the
// same bits on every machine, within one unit in the last place.
#pragma once

namespace shingle::float_math {

// The cases are IEEE 754's: a negative base takes whole exponents only, pow(x, 0) and pow(1, y)
// are 1.
float pow(float base, float exponent);

}  // namespace shingle::float_math
