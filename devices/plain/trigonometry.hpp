// Trigonometric and hyperbolic functions of floats, worked out in double from additions,
// multiplications, divisions and square roots only: the same bits on every machine, within one unit
// in the last place. They are rare in networks, so they are scalar.
//
// NaN stays NaN; an argument out of a function's range gives NaN, as IEEE 754 has it.
#pragma once

namespace shingle::float_math {

// From |x| = 2^27 on, where neighbouring floats are 16 apart, the angle is that of x modulo the
// double nearest to 2*pi: a number from -1 to 1 (tan: any), but not that of the exact angle.
float sin(float x);
float cos(float x);
float tan(float x);

float asin(float x);
float acos(float x);
float atan(float x);

float sinh(float x);
float cosh(float x);
float asinh(float x);
float acosh(float x);
float atanh(float x);

}  // namespace shingle::float_math
