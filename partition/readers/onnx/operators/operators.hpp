// The operators that shingle reads, each translated by one function.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

bool is_read(const NodeProto& node);  // Is its operator in the list?

// Translates one node; refuses operators that are not in the list, naming node and operator.
void translate(Node& node);

// convolution.cpp
void conv(Node& node);
void conv_transpose(Node& node);
void batch_normalization(Node& node);

// linear.cpp
void gemm(Node& node);
void matmul(Node& node);

// pooling.cpp
void max_pool(Node& node);
void average_pool(Node& node);

// unpool.cpp
void max_unpool(Node& node);

// lp_pool.cpp
void lp_pool(Node& node);
void global_lp_pool(Node& node);

// reduction.cpp
void global_pool(Node& node);  // GlobalAveragePool, GlobalMaxPool
void reduce(Node& node);       // ReduceMean, ReduceMax, ReduceSum and operators composed of them
void softmax(Node& node);      // Softmax, LogSoftmax

// arg_max.cpp
void arg_max(Node& node);  // ArgMax, ArgMin

// normalization.cpp
void instance_normalization(Node& node);
void layer_normalization(Node& node);
void mean_variance_normalization(Node& node);
void group_normalization(Node& node);
void rms_normalization(Node& node);
void local_response_normalization(Node& node);

// elementwise.cpp
void unary(Node& node);  // one operand, an activation
void clip(Node& node);
void prelu(Node& node);

// composed.cpp: operators composed of others
void selu(Node& node);
void celu(Node& node);
void softsign(Node& node);
void mean(Node& node);  // of any number of values

// attention/attention.cpp
void attention(Node& node);  // without a cache

// attention/rotary.cpp
void rotary_embedding(Node& node);

// binary.cpp
void binary(Node& node);    // Add, Sub, Mul, Div, Mod, Pow
void variadic(Node& node);  // Max, Min, Sum

// values/logic.cpp
void compare(Node& node);  // Equal, Less, Greater, And, Or, ...
void where(Node& node);

// values/counting.cpp
void cum_sum(Node& node);
void trilu(Node& node);
void eye_like(Node& node);
void one_hot(Node& node);
void hardmax(Node& node);

// recurrent/recurrent.cpp
void recurrent(Node& node);  // RNN, GRU, LSTM

// einsum/einsum.cpp
void einsum(Node& node);

// values/cast.cpp
void cast(Node& node);
void cast_like(Node& node);

// shapes.cpp
void pass(Node& node);  // Identity
void dropout(Node& node);
void shape(Node& node);
void size(Node& node);
void reshape(Node& node);
void flatten(Node& node);
void squeeze(Node& node);
void unsqueeze(Node& node);
void transpose(Node& node);
void depth_to_space(Node& node);
void space_to_depth(Node& node);

// selection.cpp
void slice(Node& node);
void split(Node& node);
void gather(Node& node);

// indexing/gather.cpp
void gather_at_values(Node& node);  // Gather with indices that depend on the input
void gather_elements(Node& node);
void gather_nd(Node& node);

// indexing/scatter.cpp
void scatter_elements(Node& node);  // Scatter, ScatterElements
void scatter_nd(Node& node);

// indexing/top_k.cpp
void top_k(Node& node);

// indexing/reverse_sequence.cpp
void reverse_sequence(Node& node);

// concat.cpp
void concat(Node& node);

// pad.cpp
void pad(Node& node);
void center_crop_pad(Node& node);

// resize.cpp
void resize(Node& node);
void upsample(Node& node);

// generators.cpp
void constant(Node& node);
void constant_of_shape(Node& node);
void range(Node& node);

// places/grid_sample.cpp
void grid_sample(Node& node);

// places/affine_grid.cpp
void affine_grid(Node& node);

// places/roi_align.cpp
void roi_align(Node& node);  // averages

// places/deform_conv.cpp
void deform_conv(Node& node);

// col2im.cpp
void col2im(Node& node);

// stretch.cpp
void expand(Node& node);
void tile(Node& node);

// suppression.cpp
void non_max_suppression(Node& node);
void non_zero(Node& node);
void compress(Node& node);

// branches.cpp
void branch(Node& node);  // If: a choice; those that can be decided are gone by now

}  // namespace shingle::onnx
