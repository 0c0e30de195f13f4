"""Every operator of kgrade's headers against PyTorch itself."""

import os
import pathlib
import re
import unittest

# As on a machine without a GPU, where PyTorch itself refuses what the emulated device refuses.
os.environ["CUDA_VISIBLE_DEVICES"] = ""

from extension_build import HEADERS, installed, same, torch  # noqa: E402
from kgrade_python import extension_interface  # noqa: E402

PARAMETERS = "x y v m i b img w bias seq vol".split()

# x.name() and torch::name(x).
UNARY = """abs absolute acos all amax amin any argmax argmin asin atan ceil clone cos cosh count_nonzero detach erf erfc
erfinv exp exp2 expm1 flatten floor frac isfinite isinf isnan lgamma log log10 log1p log2 logical_not logit mean
nan_to_num nanmean nansum neg negative nonzero norm prod reciprocal relu round rsqrt sigmoid sign sin sinh sqrt square
squeeze std sum tan tanh trunc var hardshrink argsort max min median t""".split()
# x.name(y) and torch::name(x, y).
BINARY = """add atan2 div divide eq floor_divide fmod ge greater gt isclose le less logaddexp logical_and logical_or
logical_xor lt maximum minimum mul multiply ne pow remainder rsub sub subtract true_divide xlogy max min""".split()
IN_PLACE = """abs_ ceil_ cos_ erf_ exp_ floor_ log_ neg_ reciprocal_ relu_ round_ rsqrt_ sigmoid_ sin_ sqrt_ square_ tanh_
zero_ detach_""".split()
IN_PLACE_BINARY = "add_ copy_ div_ eq_ ge_ gt_ le_ lt_ mul_ ne_ pow_ sub_".split()
# torch::name(x) only.
FUNCTIONS = """celu elu empty_like gelu glu hardsigmoid hardswish hardtanh leaky_relu log_sigmoid mish ones_like rand_like randn_like
relu6 rrelu selu silu softplus softshrink zeros_like""".split()
FUNCTIONS_IN_PLACE = "abs_ elu_ exp_ hardswish_ hardtanh_ leaky_relu_ neg_ relu_ rsqrt_ selu_ sigmoid_ silu_ sqrt_ tanh_ zero_".split()

# In C++ and in Python, where they differ.
EXPRESSIONS = [
    ("x.addbmm(seq.transpose(0, 0), seq.new_ones({2, 7, 4}).mul(0.5))", None, "skip"),
    ("x.addcdiv(y, y.abs() + 1, 0.5)", "x.addcdiv(y, y.abs() + 1, value=0.5)"),
    ("x.addcmul(y, y, 2)", "x.addcmul(y, y, value=2)"),
    ("torch::addmm(bias.new_ones({5}), x, m, 0.5, 2.0)", "torch.addmm(bias.new_ones(5), x, m, beta=0.5, alpha=2.0)"),
    ("torch::addmv(x.select(1, 0), x, v)", "torch.addmv(x.select(1, 0), x, v)"),
    ("x.addr(x.select(1, 0), v)", None),
    ("torch::addbmm(x.new_ones({3, 7}), seq.new_ones({2, 3, 5}), seq)", "torch.addbmm(x.new_ones(3, 7), seq.new_ones(2, 3, 5), seq)"),
    ("x.as_strided({2, 2}, {4, 1}, 1)", "x.as_strided((2, 2), (4, 1), 1)"),
    ("torch::baddbmm(seq.new_ones({2, 3, 7}), seq.new_ones({2, 3, 5}), seq)", "torch.baddbmm(seq.new_ones(2, 3, 7), seq.new_ones(2, 3, 5), seq)"),
    ("seq.new_ones({2, 3, 5}).bmm(seq)", "seq.new_ones(2, 3, 5).bmm(seq)"),
    ("i.bitwise_and(1)", None), ("i.bitwise_or(4)", None), ("i.bitwise_xor(3)", None), ("i.bitwise_not()", None),
    ("x.clamp(-0.5, 0.5)", None), ("x.clamp({}, 0.5)", "x.clamp(None, 0.5)"), ("x.clamp_max(0)", None),
    ("x.clamp_min(0)", None), ("torch::clamp(x, c10::nullopt, 0.25)", "torch.clamp(x, None, 0.25)"),
    ("x.cumprod(1)", None), ("x.cumsum(-1)", None), ("torch::cumsum(x, 0, torch::kDouble)", "torch.cumsum(x, 0, dtype=torch.double)"),
    ("v.diag()", None), ("v.diag_embed()", None), ("x.diagonal()", None), ("x.diagonal(1)", None), ("x.diff()", None),
    ("v.dot(v)", None), ("x.flip({0, 1})", "x.flip((0, 1))"), ("x.gather(1, i.unsqueeze(0).expand({3, 3}))", "x.gather(1, i.unsqueeze(0).expand(3, 3))"),
    ("x.index_add(0, i, y)", None), ("x.index_copy(0, i, y)", None), ("x.index_fill(0, i, 3.5)", None),
    ("x.index_select(0, i)", None), ("m.matmul(m.t()).add(torch::eye(4)).inverse()", "m.matmul(m.t()).add(torch.eye(4)).inverse()"),
    ("x.kron(v)", None), ("x.lerp(y, 0.25)", None), ("x.log_softmax(1)", None), ("x.softmax(-1)", None),
    ("torch::softmax(x, 0, torch::kFloat64)", "torch.softmax(x, 0, dtype=torch.float64)"), ("x.logcumsumexp(1)", None),
    ("x.logsumexp({0})", "x.logsumexp((0,))"), ("x.logsumexp(1, true)", "x.logsumexp(1, True)"), ("x.masked_fill(b, -1.0)", None),
    ("x.masked_scatter(b, y)", None), ("x.masked_select(b)", None), ("x.matmul(m)", None), ("at::matmul(x, m)", "torch.matmul(x, m)"),
    ("x.mean({0, 1})", "x.mean((0, 1))"), ("x.mean(1, true)", "x.mean(1, True)"), ("x.mean(0, false, torch::kDouble)", "x.mean(0, False, dtype=torch.double)"),
    ("x.mm(m)", None), ("x.movedim(0, 1)", None), ("v.abs().multinomial(2)", None), ("x.mv(v)", None), ("x.narrow(1, 1, 2)", None),
    ("x.norm(1)", None), ("x.norm(2, {1})", "x.norm(2, (1,))"), ("x.norm(2, 1, true)", "x.norm(2, 1, True)"), ("v.outer(v)", None),
    ("img.permute({0, 2, 3, 1})", "img.permute(0, 2, 3, 1)"), ("torch::prelu(img, img.new_ones({1}).mul(0.25))", "torch.prelu(img, img.new_ones(1).mul(0.25))"),
    ("v.repeat_interleave(2)", None), ("x.reshape({-1, 2})", "x.reshape(-1, 2)"), ("x.reshape({})", None, "raises"), ("x.rot90()", None),
    ("x.scatter(0, i.unsqueeze(1), 1.0)", None), ("x.scatter_add(0, i.unsqueeze(1), y)", None), ("x.select(0, 1)", None), ("x[1]", None), ("x[-1][2]", None),
    ("x.slice(1, 1, 3)", "x[:, 1:3]"), ("x.slice(0, 0, 3, 2)", "x[0:3:2]"), ("img.squeeze(0)", None), ("x.std(1)", None),
    ("x.var(true)", None), ("x.var({1}, false)", "x.var((1,), False)"),
    ("x.var(0, true, true)", "x.var(0, True, True)"), ("x.sum({1})", "x.sum((1,))"), ("x.sum(0, true)", "x.sum(0, True)"), ("x.sum(torch::kDouble)", "x.sum(dtype=torch.double)"),
    ("x.swapaxes(0, 1)", None), ("x.swapdims(0, 1)", None), ("x.take(i)", None), ("x.take_along_dim(i.unsqueeze(1), 1)", None),
    ("x.tile({2, 1})", "x.tile((2, 1))"), ("x.trace()", None), ("x.transpose(0, 1)", None), ("x.tril()", None), ("x.triu(1)", None),
    ("x.unflatten(1, {2, 2})", "x.unflatten(1, (2, 2))"), ("x.unsqueeze(-1)", None), ("v.vdot(v)", None),
    ("torch::view_as_real(x.to(torch::kComplexFloat))", "torch.view_as_real(x.to(torch.complex64))"),
    ("x.alias()", "torch.ops.aten.alias(x)"), ("v.expand({2, 4})", "v.expand(2, 4)"), ("v.expand_as(x)", None), ("x.index({i})", "x[i]"),
    ("x.index_put({i}, y)", "x.index_put((i,), y)"), ("x.new_empty({2}).zero_()", "x.new_empty(2).zero_()"), ("x.new_full({2}, 3)", "x.new_full((2,), 3)"),
    ("x.new_ones({2, 2})", "x.new_ones(2, 2)"), ("x.new_zeros({2}, torch::kInt)", "x.new_zeros(2, dtype=torch.int)"), ("v.repeat({2, 1})", "v.repeat(2, 1)"),
    ("m.reshape_as(m)", None), ("x.sum_to_size({1, 4})", "x.sum_to_size(1, 4)"), ("x.type_as(i)", None), ("seq.unfold(2, 3, 2)", None), ("x.view({4, 3})", "x.view(4, 3)"),
    ("x.view(-1)", None), ("x.view({2, -1})", "x.view(2, -1)"), ("x.view_as(y)", None), ("x.to(torch::kInt)", "x.to(torch.int)"), ("x.to(torch::kCPU)", "x.to('cpu')"),
    ("x.to(torch::kCPU, torch::kHalf)", "x.to('cpu', torch.half)"), ("x.to(y.options().dtype(torch::kDouble))", "x.to(torch.double)"), ("x.to(i)", None), ("x.cpu()", None),
    ("x.cuda()", None, "raises"), ("x.pin_memory()", None, "raises"),
    ("x.clone().addcdiv_(y, y.abs() + 1)", None), ("x.clone().addcmul_(y, y)", None), ("x.new_ones({3, 5}).addmm_(x, m)", "x.new_ones(3, 5).addmm_(x, m)"),
    ("x.select(1, 0).clone().addmv_(x, v)", None), ("seq.new_ones({2, 3, 7}).baddbmm_(seq.new_ones({2, 3, 5}), seq)", "seq.new_ones(2, 3, 7).baddbmm_(seq.new_ones(2, 3, 5), seq)"),
    ("i.clone().bitwise_and_(1)", None), ("i.clone().bitwise_or_(4)", None), ("x.clone().clamp_(-0.5, 0.5)", None), ("x.clone().clamp_max_(0)", None), ("x.clone().clamp_min_(0)", None),
    ("x.clone().cumsum_(0)", None), ("x.clone().exponential_()", None), ("x.clone().fill_(2)", None), ("m.clone().fill_diagonal_(9)", None), ("x.clone().index_add_(0, i, y)", None),
    ("x.clone().index_copy_(0, i, y)", None), ("x.clone().index_fill_(0, i, 1)", None), ("x.clone().index_put_({i}, y)", "x.clone().index_put_((i,), y)"), ("x.clone().lerp_(y, 0.5)", None),
    ("x.clone().masked_fill_(b, 7)", None), ("x.clone().masked_scatter_(b, y)", None), ("x.clone().normal_()", None), ("x.clone().normal_(1.0, 2.0)", None), ("x.clone().random_()", None),
    ("x.clone().resize_({2, 2})", "x.clone().resize_(2, 2)"), ("x.clone().resize_as_(x)", None), ("x.clone().scatter_(0, i.unsqueeze(1), 1.0)", None),
    ("x.clone().scatter_add_(0, i.unsqueeze(1), y)", None), ("x.clone().set_(y)", None), ("img.clone().squeeze_(0)", None), ("x.clone().t_()", None), ("x.clone().transpose_(0, 1)", None),
    ("x.clone().tril_()", None), ("x.clone().triu_()", None), ("x.clone().uniform_(0, 1)", None), ("x.clone().unsqueeze_(0)", None), ("x.clone().requires_grad_()", None),
    ("torch::clamp_(x.clone(), -1, 1)", "torch.clamp_(x.clone(), -1, 1)"), ("torch::fill_(x.clone(), 3)", "torch.fill_(x.clone(), 3)"), ("torch::dropout_(x.clone(), 0.5, true)", "torch.dropout_(x.clone(), 0.5, True)"),
    ("torch::threshold_(x.clone(), 0.1, 2)", "torch.threshold_(x.clone(), 0.1, 2)"),
    ("torch::_conv_depthwise2d(img, w, {3, 3}, {}, {1, 1}, {0, 0}, {1, 1})", None, "raises"),
    
    ("torch::_log_softmax(x, 1, false)", "torch._log_softmax(x, 1, False)"), ("torch::_softmax(x, 1, false)", "torch._softmax(x, 1, False)"),
    ("torch::adaptive_avg_pool1d(seq, 2)", "torch.adaptive_avg_pool1d(seq, 2)"), ("torch::adaptive_avg_pool2d(img, {1, 1})", "torch.nn.functional.adaptive_avg_pool2d(img, (1, 1))"),
    ("torch::adaptive_avg_pool3d(vol, {1, 1, 1})", "torch.nn.functional.adaptive_avg_pool3d(vol, (1, 1, 1))"), ("torch::alpha_dropout(x, 0.5, true)", "torch.alpha_dropout(x, 0.5, True)"),
    ("torch::arange(5)", "torch.arange(5)"), ("torch::arange(1, 5, 2, torch::kFloat)", "torch.arange(1, 5, 2, dtype=torch.float)"), ("torch::arange(4.0)", "torch.arange(4.0)"),
    ("torch::avg_pool1d(seq, 2)", "torch.avg_pool1d(seq, 2)"), ("torch::avg_pool2d(img, {2, 2}, {1, 1})", "torch.nn.functional.avg_pool2d(img, (2, 2), (1, 1))"), ("at::avg_pool3d(vol, {2, 2, 2})", "torch.nn.functional.avg_pool3d(vol, 2)"),
    ("torch::batch_norm(img, {}, {}, {}, {}, true, 0.1, 1e-5, false)", "torch.batch_norm(img, None, None, None, None, True, 0.1, 1e-5, False)"),
    ("torch::bilinear(x, y, torch::ones({2, 4, 4}), {})", "torch.bilinear(x, y, torch.ones(2, 4, 4), None)"),
    ("torch::binary_cross_entropy(x.sigmoid(), b.to(torch::kFloat))", "torch.nn.functional.binary_cross_entropy(x.sigmoid(), b.float())"), ("torch::binary_cross_entropy_with_logits(x, y)", "torch.nn.functional.binary_cross_entropy_with_logits(x, y)"),
    ("torch::block_diag({x, y})", "torch.block_diag(x, y)"), ("torch::cat({x, y})", "torch.cat((x, y))"), ("torch::cat({x, y}, 1)", "torch.cat((x, y), 1)"), ("torch::cat(std::vector<torch::Tensor>{x, y}, 1)", "torch.cat((x, y), 1)"),
    ("torch::cdist(x, y)", "torch.cdist(x, y)"), ("torch::channel_shuffle(img.repeat({1, 2, 1, 1}), 2)", "torch.channel_shuffle(img.repeat(1, 2, 1, 1), 2)"), ("torch::concat({x, y}, 1)", "torch.concat((x, y), 1)"),
    ("torch::constant_pad_nd(x, {1, 2}, 5)", "torch.constant_pad_nd(x, (1, 2), 5)"), ("torch::conv1d(seq, torch::ones({2, 5, 3}), {}, 2, 1)", "torch.conv1d(seq, torch.ones(2, 5, 3), None, 2, 1)"),
    ("torch::conv2d(img, w)", "torch.conv2d(img, w)"), ("torch::conv2d(img, w, bias, {2, 1}, {1, 0}, {1, 2}, 1)", "torch.conv2d(img, w, bias, (2, 1), (1, 0), (1, 2), 1)"), ("torch::conv2d(img, w, torch::Tensor(), 1, 1)", "torch.conv2d(img, w, None, 1, 1)"),
    ("torch::conv2d(img, w, c10::optional<torch::Tensor>(bias), 1, \"same\")", "torch.conv2d(img, w, bias, 1, 'same')"), ("torch::conv3d(vol, torch::ones({2, 2, 2, 2, 2}))", "torch.conv3d(vol, torch.ones(2, 2, 2, 2, 2))"),
    ("torch::conv_transpose1d(seq, torch::ones({5, 2, 3}))", "torch.conv_transpose1d(seq, torch.ones(5, 2, 3))"), ("torch::conv_transpose2d(img, w.transpose(0, 1), bias, {2, 2}, {1, 1}, {1, 1}, 1, {1, 1})", "torch.conv_transpose2d(img, w.transpose(0, 1), bias, 2, 1, 1, 1, 1)"),
    ("at::conv_transpose3d(vol, torch::ones({2, 3, 2, 2, 2}))", "torch.conv_transpose3d(vol, torch.ones(2, 3, 2, 2, 2))"), ("at::convolution(img, w, bias, {1, 1}, {0, 0}, {1, 1}, false, {0, 0}, 1)", "torch.convolution(img, w, bias, (1, 1), (0, 0), (1, 1), False, (0, 0), 1)"),
    ("torch::cosine_embedding_loss(x, y, torch::ones({3}))", "torch.nn.functional.cosine_embedding_loss(x, y, torch.ones(3))"), ("torch::cosine_similarity(x, y)", "torch.cosine_similarity(x, y)"), ("torch::cross(torch::ones({2, 3}), torch::full({2, 3}, 2.0), 1)", "torch.cross(torch.ones(2, 3), torch.full((2, 3), 2.0), 1)"),
    ("torch::cross_entropy_loss(x, i)", "torch.nn.functional.cross_entropy(x, i)"), ("torch::ctc_loss(seq.transpose(0, 2).log_softmax(2), torch::ones({5, 2}, torch::kLong), {7, 7, 7, 7, 7}, {2, 2, 2, 2, 2})", None, "skip"),
    ("torch::cudnn_convolution(img, w, {0, 0}, {1, 1}, {1, 1}, 1, false, false, false)", None, "raises"), ("torch::cudnn_convolution_transpose(img, w, {0, 0}, {0, 0}, {1, 1}, {1, 1}, 1, false, false, false)", None, "raises"),
    ("std::get<0>(torch::cudnn_batch_norm(img, bias, bias, {}, {}, true, 0.1, 1e-5))", None, "raises"),
    ("torch::dropout(x, 0.5, true)", "torch.dropout(x, 0.5, True)"), ("torch::einsum(\"ij,jk->ik\", {x, m})", "torch.einsum('ij,jk->ik', x, m)"), ("torch::elu(x, 0.5)", "torch.nn.functional.elu(x, 0.5)"),
    ("torch::embedding(m, i)", "torch.embedding(m, i)"), ("torch::empty({2, 3}).zero_()", "torch.empty(2, 3).zero_()"), ("torch::empty({2, 3}, x.options().dtype(torch::kDouble)).zero_()", "torch.empty(2, 3, dtype=torch.double).zero_()"),
    ("torch::empty({}, x.options()).zero_()", "torch.empty(()).zero_()"), ("torch::empty({1, 2, 3, 4}, x.options(), at::MemoryFormat::ChannelsLast).zero_()", "torch.empty(1, 2, 3, 4, memory_format=torch.channels_last).zero_()"),
    ("torch::empty_like(x, x.options().dtype(torch::kInt)).zero_()", "torch.empty_like(x, dtype=torch.int).zero_()"), ("torch::empty_strided({2, 2}, {1, 2}).zero_()", "torch.empty_strided((2, 2), (1, 2)).zero_()"), ("torch::eye(3)", "torch.eye(3)"),
    ("torch::feature_dropout(img, 0.5, true)", "torch.feature_dropout(img, 0.5, True)"), ("torch::full({2, 2}, 1.5f)", "torch.full((2, 2), 1.5)"), ("torch::full({2, 2}, 3, x.options())", "torch.full((2, 2), 3, dtype=torch.float)"), ("torch::full_like(x, 2)", "torch.full_like(x, 2)"),
    ("torch::gelu(x, \"tanh\")", "torch.nn.functional.gelu(x, approximate='tanh')"), ("torch::grid_sampler(img, torch::zeros({2, 4, 4, 2}), 0, 0, false)", "torch.grid_sampler(img, torch.zeros(2, 4, 4, 2), 0, 0, False)"),
    ("torch::group_norm(img, 3)", "torch.group_norm(img, 3)"), ("torch::hinge_embedding_loss(x, b.to(x.options()) * 2 - 1)", "torch.nn.functional.hinge_embedding_loss(x, b.float() * 2 - 1)"), ("torch::hstack({x, y})", "torch.hstack((x, y))"), ("torch::huber_loss(x, y)", "torch.nn.functional.huber_loss(x, y)"),
    ("torch::instance_norm(img, {}, {}, {}, {}, true, 0.1, 1e-5, false)", "torch.instance_norm(img, None, None, None, None, True, 0.1, 1e-5, False)"), ("torch::kl_div(x, y)", "torch.nn.functional.kl_div(x, y, reduction='mean')"), ("torch::l1_loss(x, y)", "torch.nn.functional.l1_loss(x, y)"),
    ("torch::layer_norm(x, {4}, v, v, 1e-5)", "torch.layer_norm(x, (4,), v, v, 1e-5)"), ("torch::layer_norm(x, x.sizes().slice(1))", "torch.layer_norm(x, (4,))"), ("torch::leaky_relu(x, 0.2)", "torch.nn.functional.leaky_relu(x, 0.2)"),
    ("torch::linear(x, y, {})", "torch.nn.functional.linear(x, y)"), ("torch::linear(x, y, x.select(1, 0))", "torch.nn.functional.linear(x, y, x.select(1, 0))"), ("torch::linspace(0, 1, 5)", "torch.linspace(0, 1, 5)"), ("torch::logspace(0, 1, 5)", "torch.logspace(0, 1, 5)"),
    ("torch::margin_ranking_loss(x, y, torch::ones({3, 4}))", "torch.nn.functional.margin_ranking_loss(x, y, torch.ones(3, 4))"), ("torch::max_pool1d(seq, 2)", "torch.max_pool1d(seq, 2)"), ("at::max_pool2d(img, {2, 2}, {1, 1})", "torch.max_pool2d(img, 2, 1)"), ("torch::max_pool3d(vol, 2)", "torch.max_pool3d(vol, 2)"),
    ("torch::mse_loss(x, y)", "torch.nn.functional.mse_loss(x, y)"), ("torch::nll_loss(x, i)", "torch.nn.functional.nll_loss(x, i)"), ("torch::nll_loss_nd(x, i)", "torch.nn.functional.nll_loss(x, i)"), ("torch::one_hot(i, 4)", "torch.nn.functional.one_hot(i, 4)"),
    ("torch::ones({2, 2})", "torch.ones(2, 2)"), ("torch::ones({2}, torch::dtype(torch::kBool))", "torch.ones(2, dtype=torch.bool)"), ("torch::ones(3, torch::kInt)", "torch.ones(3, dtype=torch.int)"), ("torch::pad(x, {1, 1})", "torch.nn.functional.pad(x, (1, 1))"),
    ("torch::pairwise_distance(x, y)", "torch.pairwise_distance(x, y)"), ("torch::pdist(x)", "torch.pdist(x)"), ("torch::pixel_shuffle(img.repeat({1, 4, 1, 1}), 2)", "torch.pixel_shuffle(img.repeat(1, 4, 1, 1), 2)"), ("torch::pixel_unshuffle(img, 2)", "torch.pixel_unshuffle(img, 2)"),
    ("torch::rand({3})", "torch.rand(3)"), ("torch::rand({3}, torch::kDouble)", "torch.rand(3, dtype=torch.double)"), ("torch::randint(0, 9, {3})", "torch.randint(0, 9, (3,))"), ("torch::randn({2, 2})", "torch.randn(2, 2)"), ("torch::randperm(5)", "torch.randperm(5)"), ("torch::range(0, 3)", "torch.range(0, 3)"),
    ("torch::rms_norm(x, {4})", "torch.rms_norm(x, (4,))"), ("torch::scaled_dot_product_attention(seq, seq, seq)", "torch.nn.functional.scaled_dot_product_attention(seq, seq, seq)"), ("torch::searchsorted(v.abs().cumsum(0), x)", "torch.searchsorted(v.abs().cumsum(0), x)"),
    ("torch::slow_conv3d(vol, torch::ones({2, 2, 2, 2, 2}), {2, 2, 2})", "torch.conv3d(vol, torch.ones(2, 2, 2, 2, 2))"), ("torch::slow_conv_transpose2d(img, w.transpose(0, 1), {3, 3})", "torch.conv_transpose2d(img, w.transpose(0, 1))", "near"),
    ("torch::slow_conv_transpose3d(vol, torch::ones({2, 3, 2, 2, 2}), {2, 2, 2})", "torch.conv_transpose3d(vol, torch.ones(2, 3, 2, 2, 2))", "near"), ("torch::smooth_l1_loss(x, y)", "torch.nn.functional.smooth_l1_loss(x, y)"), ("torch::stack({x, y}, 1)", "torch.stack((x, y), 1)"),
    ("torch::tensordot(x, m, {1}, {0})", "torch.tensordot(x, m, dims=((1,), (0,)))"), ("torch::threshold(x, 0.1, 2)", "torch.threshold(x, 0.1, 2)"), ("torch::thnn_conv2d(img, w, {3, 3})", "torch.conv2d(img, w)", "near"), ("torch::tril_indices(3, 3)", "torch.tril_indices(3, 3)"),
    ("torch::triu_indices(3, 3)", "torch.triu_indices(3, 3)"), ("torch::triplet_margin_loss(x, y, x.neg())", "torch.nn.functional.triplet_margin_loss(x, y, x.neg())"), ("torch::upsample_bilinear2d(img, {16, 16}, false)", "torch.nn.functional.interpolate(img, (16, 16), mode='bilinear')"),
    ("torch::upsample_nearest2d(img, {16, 16})", "torch.nn.functional.interpolate(img, (16, 16))"), ("torch::vander(v)", "torch.vander(v)"), ("torch::vstack({x, y})", "torch.vstack((x, y))"), ("torch::where(b, x, y)", "torch.where(b, x, y)"), ("torch::where(b, x, 0.0)", "torch.where(b, x, 0.0)"),
    ("torch::zeros({2, 3})", "torch.zeros(2, 3)"), ("torch::zeros(x.sizes(), x.options())", "torch.zeros(3, 4)"), ("torch::zeros_like(x, torch::kLong)", "torch.zeros_like(x, dtype=torch.long)"), ("torch::zeros({2}, torch::TensorOptions().dtype(torch::kFloat16).device(x.device()))", "torch.zeros(2, dtype=torch.half)"),
    ("torch::zeros({2}, torch::requires_grad())", "torch.zeros(2, requires_grad=True)"), ("torch::scalar_tensor(2.5)", "torch.scalar_tensor(2.5)"),
    ("[&] { auto o = torch::empty({0}); torch::conv2d_out(o, img, w, bias, 1, 1); return o; }()", "torch.conv2d(img, w, bias, 1, 1)", "skip"),
    ("[&] { auto o = torch::empty({0}); at::add_out(o, x, y, 2); return o; }()", "torch.add(x, y, alpha=2)"), ("[&] { auto o = torch::empty({0}); at::addmm_out(o, x.new_ones({5}), x, m); return o; }()", "torch.addmm(x.new_ones(5), x, m)"),
    ("at::bmm_out(torch::empty({0}), seq.transpose(1, 2), seq)", "torch.bmm(seq.transpose(1, 2), seq)"), ("at::cat_out(torch::empty({0}), {x, y}, 1)", "torch.cat((x, y), 1)"), ("at::div_out(torch::empty({0}), x, y)", "x / y"), ("at::exp_out(torch::empty({0}), x)", "x.exp()"),
    ("at::matmul_out(torch::empty({0}), x, m)", "x @ m"), ("at::mean_out(torch::empty({0}), x, {1}, true)", "x.mean((1,), True)"), ("at::mm_out(torch::empty({0}), x, m)", "x @ m"), ("at::mul_out(torch::empty({0}), x, y)", "x * y"), ("at::sub_out(torch::empty({0}), x, y)", "x - y"),
    ("at::sum_out(torch::empty({0}), x, {0})", "x.sum(0)"), ("at::softmax_out(torch::empty({0}), x, 1)", "x.softmax(1)"), ("at::linear_out(torch::empty({0}), x, y)", "torch.nn.functional.linear(x, y)", "skip"),
    ("at::baddbmm_out(torch::empty({0}), seq.new_ones({2, 7, 7}), seq.transpose(1, 2), seq)", "torch.baddbmm(seq.new_ones(2, 7, 7), seq.transpose(1, 2), seq)"), ("at::sigmoid_out(torch::empty({0}), x)", "x.sigmoid()"), ("at::tanh_out(torch::empty({0}), x)", "x.tanh()"),
    ("at::max_out(torch::empty({0}), x, y)", "torch.max(x, y)"), ("at::min_out(torch::empty({0}), x, y)", "torch.min(x, y)"),
    ("torch::max(x, 1)", "tuple(torch.max(x, 1))"), ("x.min(0, true)", "tuple(x.min(0, True))"), ("x.median(1)", "tuple(x.median(1))"), ("x.aminmax()", "tuple(x.aminmax())"), ("x.cummax(0)", "tuple(x.cummax(0))"), ("x.cummin(0)", "tuple(x.cummin(0))"), ("x.frexp()", "tuple(x.frexp())"),
    ("x.kthvalue(1)", "tuple(x.kthvalue(1))"), ("x.mode()", "tuple(x.mode())"), ("m.matmul(m.t()).slogdet()", "tuple(m.matmul(m.t()).slogdet())"), ("x.sort(1, true)", "tuple(x.sort(1, True))"), ("x.topk(2)", "tuple(x.topk(2))"), ("torch::topk(x, 2, 1, false)", "tuple(torch.topk(x, 2, 1, False))"),
    ("torch::adaptive_max_pool1d(seq, 2)", "tuple(torch.adaptive_max_pool1d(seq, 2))"), ("torch::adaptive_max_pool2d(img, 2)", "torch.nn.functional.adaptive_max_pool2d(img, 2, return_indices=True)"), ("torch::adaptive_max_pool3d(vol, 1)", "torch.nn.functional.adaptive_max_pool3d(vol, 1, return_indices=True)"),
    ("torch::fractional_max_pool2d(img, 2, 3, torch::full({2, 3, 2}, 0.5))", "torch.nn.functional.fractional_max_pool2d(img, 2, 3, _random_samples=torch.full((2, 3, 2), 0.5), return_indices=True)"), ("torch::max_pool1d_with_indices(seq, 2)", "torch.max_pool1d_with_indices(seq, 2)"),
    ("torch::max_pool2d_with_indices(img, 2)", "torch.nn.functional.max_pool2d_with_indices(img, 2)"), ("torch::max_pool3d_with_indices(vol, 2)", "torch.nn.functional.max_pool3d_with_indices(vol, 2)"), ("torch::native_dropout(x, 0.5, true)", "torch.native_dropout(x, 0.5, True)"), ("torch::std_mean(x, {1})", "torch.std_mean(x, (1,))"), ("torch::var_mean(x, {1}, false)", "torch.var_mean(x, (1,), False)"),
    ("torch::native_batch_norm(img, {}, {}, {}, {}, true, 0.1, 1e-5)", "torch.native_batch_norm(img, None, None, None, None, True, 0.1, 1e-5)"), ("torch::native_layer_norm(x, {4}, {}, {}, 1e-5)", "torch.native_layer_norm(x, (4,), None, None, 1e-5)"), ("torch::native_group_norm(img, {}, {}, 2, 3, 64, 3, 1e-5)", "torch.native_group_norm(img, None, None, 2, 3, 64, 3, 1e-5)"),
    ("x.chunk(2, 1)", "x.chunk(2, 1)"), ("x.dsplit(2)", None, "raises"), ("x.hsplit(2)", None), ("x.split(2)", None), ("x.split(2, 1)", None), ("torch::split(x, {1, 2})", "torch.split(x, (1, 2))"), ("x.split_with_sizes({1, 3}, 1)", "x.split_with_sizes((1, 3), 1)"), ("x.tensor_split(2)", None), ("x.unbind()", None), ("torch::unbind(x, 1)", "torch.unbind(x, 1)"), ("x.vsplit({1, 2})", "x.vsplit((1, 2))"),
    ("torch::meshgrid({v, v})", "torch.meshgrid((v, v), indexing='ij')"), ("torch::broadcast_tensors({x, v})", "torch.broadcast_tensors(x, v)"),
    ("x + y", None), ("x - 1", None), ("2 * x", None), ("1.0 / (y.abs() + 1)", None), ("1 - x", None), ("-x", None), ("x % 2", None), ("x > 0", None), ("x == y", None), ("(x > 0) & (y > 0)", None), ("(x > 0) | (y > 0)", None), ("~b", None), ("x += y", "x.clone().add_(y)"), ("x.clone() *= 3", "x * 3"), ("x.clone() /= 3", "x / 3"), ("x.clone() -= y", "x - y"),
    ("torch::tensor(3.5)", "torch.tensor(3.5, dtype=torch.double)"), ("torch::tensor(2.5f)", "torch.tensor(2.5)"), ("torch::tensor({1, 2, 3})", "torch.tensor([1, 2, 3], dtype=torch.int)"), ("torch::tensor({1.5f, 2.0f}, x.options())", "torch.tensor([1.5, 2.0])"), ("torch::tensor(std::vector<int64_t>{4, 5})", "torch.tensor([4, 5])"), ("torch::tensor({1, 2}, torch::kFloat)", "torch.tensor([1.0, 2.0])"),
    ("x.T()", "x.T"), ("x.data()", "x.detach()"), ("x.toType(torch::kDouble)", "x.double()"), ("x.contiguous()", None), ("x.t().contiguous()", None), ("img.contiguous(at::MemoryFormat::ChannelsLast)", "img.contiguous(memory_format=torch.channels_last)"), ("v.sum().item<float>()", "v.sum().item()"), ("i.sum().item<int>()", "i.sum().item()"), ("i.sum().item()", None), ("b.any().item()", None),
    ("x.equal(x.clone())", None), ("x.equal(y)", None), ("x.allclose(x)", None), ("torch::allclose(x, y)", "torch.allclose(x, y)"), ("v.sum().is_nonzero()", None), ("x.numel()", None), ("x.dim()", None), ("img.size(-1)", None), ("img.stride(1)", None), ("x.element_size()", None), ("x.nbytes()", "x.nbytes"), ("x.sizes().vec()", "list(x.shape)"), ("x.strides().vec()", "list(x.stride())"),
    ("x.select(0, 1).storage_offset()", None), ("x.is_contiguous()", None), ("x.t().is_contiguous()", None), ("img.permute({0, 2, 3, 1}).permute({0, 3, 1, 2}).is_contiguous(at::MemoryFormat::ChannelsLast)", "img.permute(0, 2, 3, 1).permute(0, 3, 1, 2).is_contiguous(memory_format=torch.channels_last)"), ("x.is_cuda()", "x.is_cuda"), ("x.scalar_type()", "x.dtype"), ("x.device()", "x.device"), ("x.is_floating_point()", None), ("x.requires_grad()", "x.requires_grad"), ("i.dtype() == torch::kInt64", "True"),
    ("(x.dtype() == torch::kFloat32 && y.device() == x.device() && !x.device().is_cuda())", "True"), ("x.is_alias_of(x.view({-1}))", "True"), ("(x.is_same(x) && !x.is_same(x.clone()))", "True"), ("x.size(5)", None, "raises"), ("x.new_zeros({2}).size(-2)", None, "raises"), ("x.matmul(x)", None, "raises"), ("torch::Tensor()", "None"), ("torch::Tensor().defined()", "False"), ("torch::Tensor().numel()", None, "raises"), ("x.data_ptr<double>() != nullptr", None, "raises"),
]  # fmt: skip


def inputs():
    generator = torch.Generator().manual_seed(7)
    draw = lambda *shape: torch.randn(*shape, generator=generator)  # noqa: E731
    return {
        "x": draw(3, 4), "y": draw(3, 4), "v": draw(4), "m": draw(4, 5), "i": torch.tensor([2, 0, 1]),
        "b": draw(3, 4) > 0, "img": draw(2, 3, 8, 8), "w": draw(4, 3, 3, 3), "bias": draw(4), "seq": draw(2, 5, 7),
        "vol": draw(1, 2, 4, 4, 4),
    }  # fmt: skip


# What x and y may be like. Each pair is of one kind.
KINDS = {
    "plain": lambda x: x.clone(),
    "strided": lambda x: x.t().contiguous().t(),
    "every second": lambda x: x.repeat_interleave(2, 1)[:, ::2],
    "expanded": lambda x: x[:1].expand(3, 4),
    "empty": lambda x: x[:0].clone(),
    "zero-dimensional": lambda x: x[1, 2].clone(),
    "half": lambda x: x.half(),
    "bfloat16": lambda x: x.bfloat16(),
    "double": lambda x: x.double(),
    "integer": lambda x: (x * 4).long(),
    "parameter": lambda x: torch.nn.Parameter(x.clone()),
}


def source():
    lines = ["#include <torch/extension.h>", "using T = torch::Tensor;"]
    taken = ", ".join(f"[[maybe_unused]] T {name}" for name in PARAMETERS)
    lines.append("PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {")
    for name in dict.fromkeys(UNARY + IN_PLACE):
        lines.append(f'module.def("x.{name}", [](T x) {{ return x.{name}(); }});')
    for name in dict.fromkeys(BINARY + IN_PLACE_BINARY):
        lines.append(f'module.def("x.{name}.y", [](T x, T y) {{ return x.{name}(y); }});')
    for name in dict.fromkeys(UNARY + FUNCTIONS + FUNCTIONS_IN_PLACE):
        lines.append(f'module.def("{name}.x", [](T x) {{ return torch::{name}(x); }});')
    for name in BINARY:
        lines.append(f'module.def("{name}.x.y", [](T x, T y) {{ return at::{name}(x, y); }});')
    for index, expression in enumerate(EXPRESSIONS):
        lines.append(f'module.def("{index}", []({taken}) {{ return {expression[0]}; }});')
    return "\n".join(lines + ["}"])


class Operators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        loaders, cls.builder = installed()
        cls.module = loaders["load_inline"]("every_operator", source())

    def compare(self, name, arguments, expected, what, near=False):
        """Both give the same, or both raise the same kind of error."""
        torch.manual_seed(1)
        try:
            right = expected()
        except Exception as error:
            with self.assertRaises((type(error), RuntimeError), msg=what):
                getattr(self.module, name)(*arguments)
            return
        torch.manual_seed(1)
        answer = getattr(self.module, name)(*arguments)
        if near:
            torch.testing.assert_close(answer, right)
        else:
            same(self, answer, right, what)

    def each_kind(self):
        given = inputs()
        for kind, make in KINDS.items():
            yield kind, lambda make=make: (make(given["x"]), make(given["y"]))

    def test_operators_of_one_tensor_are_pytorchs_for_every_kind_of_tensor(self):
        for kind, make in self.each_kind():
            for name in UNARY + IN_PLACE:
                with self.subTest(name=name, kind=kind), torch.no_grad():
                    self.compare(
                        f"x.{name}", make()[:1], lambda: getattr(make()[0], name)(), f"x.{name}() {kind}"
                    )

    def test_functions_of_one_tensor_are_pytorchs_for_every_kind_of_tensor(self):
        for kind, make in self.each_kind():
            for name in UNARY + FUNCTIONS + FUNCTIONS_IN_PLACE:
                with self.subTest(name=name, kind=kind), torch.no_grad():
                    uninitialized = name == "empty_like"
                    if uninitialized:
                        self.assertEqual(self.module.__dict__["empty_like.x"](make()[0]).shape, make()[0].shape)
                    else:
                        function = getattr(torch.ops.aten, name)
                        self.compare(f"{name}.x", make()[:1], lambda: function(make()[0]), f"{name}(x) {kind}")

    def test_operators_of_two_tensors_are_pytorchs_for_every_kind_of_tensor(self):
        for kind, make in self.each_kind():
            for name in BINARY + IN_PLACE_BINARY:
                with self.subTest(name=name, kind=kind), torch.no_grad():
                    right = lambda: (
                        getattr(make()[0], name)(make()[1]) if name != "rsub" else make()[1] - make()[0]
                    )  # noqa: E731, B023
                    self.compare(f"x.{name}.y", make(), right, f"x.{name}(y) {kind}")
                    if name in BINARY:
                        self.compare(f"{name}.x.y", make(), right, f"{name}(x, y) {kind}")

    def test_expressions_mean_what_they_mean_in_python(self):
        for index, (cpp, python, *how) in enumerate(EXPRESSIONS):
            if how == ["skip"]:
                continue
            with self.subTest(expression=cpp):
                arguments = list(inputs().values())
                if how == ["raises"]:
                    with self.assertRaises((RuntimeError, IndexError, TypeError, NotImplementedError)):
                        getattr(self.module, str(index))(*arguments)
                    continue
                python = python or cpp.replace("true", "True").replace("false", "False")
                names = dict(inputs(), torch=torch)
                self.compare(str(index), arguments, lambda: eval(python, names), cpp, how == ["near"])

    def test_every_operator_of_the_headers_is_compared(self):
        names = set(re.findall(r"X\((\w+)\)", (HEADERS / "kgrade_extension" / "operator_names.h").read_text()))
        compared = set(UNARY + BINARY + IN_PLACE + IN_PLACE_BINARY + FUNCTIONS + FUNCTIONS_IN_PLACE)
        for cpp, *_ in EXPRESSIONS:
            compared.update(re.findall(r"\w+", cpp))
        self.assertEqual(sorted(names - compared), [])

    def test_types_have_pytorchs_numbers(self):
        header = (HEADERS / "kgrade_extension" / "scalar_types.h").read_text()
        numbers = dict(re.findall(r"X\((?:\w+, )?([A-Z]\w+), (\d+)", header))
        self.assertEqual(sorted(map(int, numbers.values())), sorted(extension_interface._DTYPES))
        files = (pathlib.Path(torch.__file__).parent / "include").glob("**/core/ScalarType.h")
        pytorchs = dict(re.findall(r"_\([\w:<>]+, (\w+)\) /\* (\d+) \*/", "".join(f.read_text() for f in files)))
        self.assertIn("Half", pytorchs)
        self.assertEqual({name: pytorchs.get(name, number) for name, number in numbers.items()}, numbers)

    def test_no_tensor_is_kept_when_a_call_is_over(self):
        self.assertEqual(len(self.builder._bridge.records), 0)


if __name__ == "__main__":
    unittest.main()
