// ATen's operators that an extension may call by name, grouped by their form of call and their result. The
// operator itself is PyTorch's (harness/python/kgrade_python/operators.py). A source that uses a missing name
// is compiled with PyTorch's own headers.
#pragma once

#include "kgrade_extension/by_use.h"

// clang-format off: extension_sources.py reads the names.

// These can be called as x.name(...) and as torch::name(x, ...).
#define KGRADE_OPERATORS_EVERYWHERE(X)                                                                       \
  X(abs) X(absolute) X(acos) X(add) X(addbmm) X(addcdiv) X(addcmul) X(addmm) X(addmv) X(addr) X(all) X(amax) \
  X(amin) X(any) X(argmax) X(argmin) X(argsort) X(as_strided) X(asin) X(atan) X(atan2) X(baddbmm)            \
  X(bitwise_and) X(bitwise_not) X(bitwise_or) X(bitwise_xor) X(bmm) X(ceil) X(clamp) X(clamp_max)            \
  X(clamp_min) X(clone) X(cos) X(cosh) X(count_nonzero) X(cumprod) X(cumsum) X(detach) X(diag) X(diag_embed) \
  X(diagonal) X(diff) X(div) X(divide) X(dot) X(eq) X(erf) X(erfc) X(erfinv) X(exp) X(exp2) X(expm1)         \
  X(flatten) X(flip) X(floor) X(floor_divide) X(fmod) X(frac) X(gather) X(ge) X(greater) X(gt) X(hardshrink) \
  X(index_add) X(index_copy) X(index_fill) X(index_select) X(inverse) X(isclose) X(isfinite) X(isinf)        \
  X(isnan) X(kron) X(le) X(lerp) X(less) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(log_softmax)           \
  X(logaddexp) X(logcumsumexp) X(logical_and) X(logical_not) X(logical_or) X(logical_xor) X(logit)           \
  X(logsumexp) X(lt) X(masked_fill) X(masked_scatter) X(masked_select) X(matmul) X(maximum) X(mean)          \
  X(minimum) X(mm) X(movedim) X(mul) X(multinomial) X(multiply) X(mv) X(nan_to_num) X(nanmean) X(nansum)     \
  X(narrow) X(ne) X(neg) X(negative) X(nonzero) X(norm) X(outer) X(permute) X(pow) X(prelu) X(prod)          \
  X(reciprocal) X(relu) X(remainder) X(repeat_interleave) X(reshape) X(rot90) X(round) X(rsqrt) X(rsub)      \
  X(scatter) X(scatter_add) X(select) X(sigmoid) X(sign) X(sin) X(sinh) X(slice) X(softmax) X(sqrt)          \
  X(square) X(squeeze) X(std) X(sub) X(subtract) X(sum) X(swapaxes) X(swapdims) X(t) X(take)                 \
  X(take_along_dim) X(tan) X(tanh) X(tile) X(trace) X(transpose) X(tril) X(triu) X(true_divide) X(trunc)     \
  X(unflatten) X(unsqueeze) X(var) X(vdot) X(view_as_real) X(xlogy)

#define KGRADE_METHODS(X)                                                                                    \
  X(alias) X(expand) X(expand_as) X(index) X(index_put) X(new_empty) X(new_full) X(new_ones) X(new_zeros) X(repeat)   \
  X(reshape_as) X(sum_to_size) X(type_as) X(unfold) X(view) X(view_as) X(to) X(cuda) X(cpu) X(pin_memory)


// These work in place, and return the tensor itself.
#define KGRADE_METHODS_IN_PLACE(X)                                                                           \
  X(abs_) X(add_) X(addcdiv_) X(addcmul_) X(addmm_) X(addmv_) X(baddbmm_) X(bitwise_and_) X(bitwise_or_)     \
  X(ceil_) X(clamp_) X(clamp_max_) X(clamp_min_) X(copy_) X(cos_) X(cumsum_) X(div_) X(eq_) X(erf_) X(exp_)  \
  X(exponential_) X(fill_) X(fill_diagonal_) X(floor_) X(ge_) X(gt_) X(index_add_) X(index_copy_)            \
  X(index_fill_) X(index_put_) X(le_) X(lerp_) X(log_) X(lt_) X(masked_fill_) X(masked_scatter_) X(mul_)     \
  X(ne_) X(neg_) X(normal_) X(pow_) X(random_) X(reciprocal_) X(relu_) X(resize_) X(resize_as_) X(round_)    \
  X(rsqrt_) X(scatter_) X(scatter_add_) X(set_) X(sigmoid_) X(sin_) X(sqrt_) X(square_) X(squeeze_) X(sub_)  \
  X(t_) X(tanh_) X(transpose_) X(tril_) X(triu_) X(uniform_) X(unsqueeze_) X(zero_) X(requires_grad_)        \
  X(detach_)

#define KGRADE_FUNCTIONS_IN_PLACE(X)                                                                         \
  X(abs_) X(clamp_) X(dropout_) X(elu_) X(exp_) X(fill_) X(leaky_relu_) X(neg_) X(relu_) X(rsqrt_) X(selu_)  \
  X(sigmoid_) X(silu_) X(sqrt_) X(tanh_) X(threshold_) X(zero_) X(hardtanh_) X(hardswish_)

#define KGRADE_FUNCTIONS(X)                                                                                  \
  X(_conv_depthwise2d) X(_log_softmax) X(_softmax) X(adaptive_avg_pool1d)                    \
  X(adaptive_avg_pool2d) X(adaptive_avg_pool3d) X(alpha_dropout) X(arange) X(avg_pool1d) X(avg_pool2d)       \
  X(avg_pool3d) X(batch_norm) X(bilinear) X(binary_cross_entropy) X(binary_cross_entropy_with_logits)        \
  X(block_diag) X(cat) X(cdist) X(celu) X(channel_shuffle) X(concat) X(constant_pad_nd) X(conv1d) X(conv2d)  \
  X(conv3d) X(conv_transpose1d) X(conv_transpose2d) X(conv_transpose3d) X(convolution)                       \
  X(cosine_embedding_loss) X(cosine_similarity) X(cross) X(cross_entropy_loss) X(ctc_loss)                   \
  X(cudnn_convolution) X(cudnn_convolution_transpose) X(dropout) X(einsum) X(elu) X(embedding) X(empty)      \
  X(empty_like) X(empty_strided) X(eye) X(feature_dropout) X(full) X(full_like) X(gelu) X(glu)               \
  X(grid_sampler) X(group_norm) X(hardsigmoid) X(hardswish) X(hardtanh) X(hinge_embedding_loss) X(hstack)    \
  X(huber_loss) X(instance_norm) X(kl_div) X(l1_loss) X(layer_norm) X(leaky_relu) X(linear) X(linspace)      \
  X(log_sigmoid) X(logspace) X(margin_ranking_loss) X(max_pool1d) X(max_pool2d) X(max_pool3d) X(mish)        \
  X(mse_loss) X(nll_loss) X(nll_loss_nd) X(one_hot) X(ones) X(ones_like) X(pad) X(pairwise_distance)         \
  X(pdist) X(pixel_shuffle) X(pixel_unshuffle) X(rand) X(rand_like) X(randint) X(randn) X(randn_like)        \
  X(randperm) X(range) X(relu6) X(rms_norm) X(rrelu) X(scaled_dot_product_attention) X(searchsorted) X(selu) \
  X(silu) X(slow_conv3d) X(slow_conv_transpose2d) X(slow_conv_transpose3d) X(smooth_l1_loss) X(softplus)     \
  X(softshrink) X(stack) X(tensordot) X(threshold) X(thnn_conv2d) X(tril_indices) X(triplet_margin_loss)     \
  X(triu_indices) X(upsample_bilinear2d) X(upsample_nearest2d) X(vander) X(vstack) X(where) X(zeros)         \
  X(zeros_like) X(scalar_tensor) X(conv2d_out) X(add_out) X(addmm_out) X(bmm_out) X(cat_out) X(div_out)      \
  X(exp_out) X(matmul_out) X(mean_out) X(mm_out) X(mul_out) X(sub_out) X(sum_out) X(softmax_out)             \
  X(linear_out) X(baddbmm_out) X(sigmoid_out) X(tanh_out) X(max_out) X(min_out)

// These return several tensors.
#define KGRADE_PAIRS_EVERYWHERE(X)                                                                           \
  X(aminmax) X(cummax) X(cummin) X(frexp) X(kthvalue) X(mode) X(slogdet) X(sort) X(topk)
#define KGRADE_PAIRS(X)                                                                                      \
  X(adaptive_max_pool1d) X(adaptive_max_pool2d) X(adaptive_max_pool3d) X(fractional_max_pool2d)              \
  X(max_pool1d_with_indices) X(max_pool2d_with_indices) X(max_pool3d_with_indices) X(native_dropout)         \
  X(std_mean) X(var_mean)
#define KGRADE_TRIPLES(X)                                                                                    \
  X(native_batch_norm) X(native_layer_norm) X(native_group_norm) X(cudnn_batch_norm)

// These return a vector of tensors.
#define KGRADE_LISTS_EVERYWHERE(X)                                                                           \
  X(chunk) X(dsplit) X(hsplit) X(split) X(split_with_sizes) X(tensor_split) X(unbind) X(vsplit)
#define KGRADE_LISTS(X)                                                                                      \
  X(meshgrid) X(broadcast_tensors)
// clang-format on
