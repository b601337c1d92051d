#include <algorithm>
#include <iostream>

#include "base/error.h"
#include "commands/forward_parts.h"
#include "pipeline/components.h"
#include "pipeline/strangers.h"
#include "tintype/request.h"

namespace tintype {
namespace {

std::string described(const std::vector<Component>& components) {
  std::string text;
  for (const Component& c : components)
    text += concat_text(text.empty() ? "" : ", ", c.family_name(), " in ", c.index->path());
  return text;
}

// The one component of a role among the files; `choice` names its family if it is not empty.
Component find_component(const ForwardJob& job, Role role) {
  std::vector<Component> all, fit;
  for (const std::string& path : job.files) {
    const std::shared_ptr<const WeightIndex> index = read_weights(path, job.load);
    const std::vector<Component> found = detect(index);
    const auto notice = orphan_notice(*index, found);
    check(!notice || !job.run.strict, ErrorCode::kBadFile, notice.value_or(""));
    if (notice && !job.quiet) std::cerr << "note: " << *notice << "\n";
    for (const Component& c : found) {
      if (c.role == role && (job.choice.empty() || c.family_name() == job.choice)) fit.push_back(c);
      all.push_back(c);
    }
  }
  const std::string wanted = job.choice.empty() ? std::string(name(role)) : job.choice;
  if (all.empty())
    fail(ErrorCode::kBadFile, job.files[0],
         ": holds no denoiser, text encoder or VAE that tintype "
         "knows");
  if (fit.empty() && role == Role::kDenoiser)
    for (const Component& c : all) refuse_stranger(*c.index);
  check(!fit.empty(), ErrorCode::kUsage, "there is no ", wanted, " among the files; there is ",
        described(all));
  if (fit.size() > 1)
    throw Error(ErrorCode::kUsage, concat_text("there are several: ", described(fit)),
                role == Role::kText
                    ? concat_text("choose one with text-encoder:", fit[0].family_name(),
                                  " or text-encoder:", fit[1].family_name())
                    : "name only one of these files");
  return fit[0];
}

// Tokens as i32 [B, L], each with a row in the encoder's table.
Array checked_tokens(const Array& given, const TextEncoder& encoder) {
  check(given.dtype() == DType::kI64 || given.dtype() == DType::kI32, ErrorCode::kUsage,
        "--in: tokens is ", given.dtype(), ", needs i64 or i32");
  check(given.shape().rank() == 2 && given.elements() > 0, ErrorCode::kUsage,
        "--in: tokens has shape ", given.shape(), ", needs [B, L]");
  check(encoder.max_length() == 0 || given.shape()[1] <= encoder.max_length(), ErrorCode::kUsage,
        "--in: tokens has ", given.shape()[1], " per text, needs at most ", encoder.max_length());
  Array tokens(given.shape(), DType::kI32);
  for (size_t i = 0; i < static_cast<size_t>(given.elements()); ++i) {
    const int64_t id =
        given.dtype() == DType::kI64 ? given.values<int64_t>()[i] : given.values<int32_t>()[i];
    check(id >= 0 && id < encoder.rows(), ErrorCode::kUsage, "--in: tokens has the id ", id,
          ", needs 0..", encoder.rows() - 1);
    tokens.values<int32_t>()[i] = static_cast<int32_t>(id);
  }
  return tokens;
}

Array framed_text(const ForwardJob& job, const Component& component, const TextEncoder& encoder) {
  check(job.in.empty(), ErrorCode::kUsage, "--text stands for --in: give one of them");
  check(job.t5_length >= 1 && job.t5_length <= kMostT5Length, ErrorCode::kUsage, "--t5-length ",
        job.t5_length, " is outside 1..", kMostT5Length);
  const Dim length = encoder.max_length() > 0 ? encoder.max_length() : job.t5_length;
  const auto ids =
      component.text->tokenizer(*component.index, encoder.rows())->frame(job.text, length);
  Array tokens({1, static_cast<Dim>(ids.size())}, DType::kI32);
  std::ranges::copy(ids, tokens.values<int32_t>().begin());
  return tokens;
}

Array as_i64(const Array& tokens) {
  Array wide(tokens.shape(), DType::kI64);
  std::ranges::copy(tokens.values<int32_t>(), wide.values<int64_t>().begin());
  return wide;
}

}  // namespace

NamedArrays forward_denoiser(const ForwardJob& job) {
  const Shape x = input_array(job.in, "x", 4).shape();
  const Shape context = input_array(job.in, "context", 3).shape();
  const auto loaded = load_denoiser(find_component(job, Role::kDenoiser), job.run.strict);
  const DenoiserSizes sizes = loaded.model->sizes();
  check(x[1] == sizes.channels, ErrorCode::kUsage, "--in: x has ", x[1], " channels, needs ",
        sizes.channels);
  return run_graph(denoiser_graph(*loaded.model, job.run.compute, x, context[1]), job.in, job);
}

NamedArrays forward_text_encoder(const ForwardJob& job) {
  const Component component = find_component(job, Role::kText);
  const auto loaded = load_text_encoder(component, job.run.strict);
  NamedArrays in = job.in;
  if (job.has_text) {
    in = {{"tokens", framed_text(job, component, *loaded.model)}};
  } else {
    const auto given = in.find("tokens");
    check(given != in.end(), ErrorCode::kUsage, "--in: has no tensor tokens");
    given->second = checked_tokens(given->second, *loaded.model);
  }
  const Array& tokens = in.at("tokens");
  NamedArrays out = run_graph(text_graph(*loaded.model, job.run.compute, tokens.shape()), in, job);
  out["tokens"] = as_i64(tokens);
  return out;
}

NamedArrays forward_vae_decode(const ForwardJob& job) {
  const Shape latent = input_array(job.in, "latent", 4).shape();
  const auto loaded = load_vae(find_component(job, Role::kVae), job.run.strict);
  check(latent[1] == loaded.model->channels(), ErrorCode::kUsage, "--in: latent has ", latent[1],
        " channels, needs ", loaded.model->channels());
  return run_graph(decode_graph(*loaded.model, job.run.compute, latent), job.in, job);
}

NamedArrays forward_vae_encode(const ForwardJob& job) {
  const Shape image = input_array(job.in, "image", 4).shape();
  const Component component = find_component(job, Role::kVae);
  const auto loaded = load_vae(component, job.run.strict);
  check(loaded.model->has_encoder(), ErrorCode::kUsage, component.index->path(),
        ": holds a decoder alone, vae-encode needs an encoder");
  const Dim scale = loaded.model->scale();
  check(image[1] == 3 && image[2] % scale == 0 && image[3] % scale == 0, ErrorCode::kUsage,
        "--in: image has shape ", image, ", needs [B, 3, H, W] with H and W multiples of ", scale);
  return run_graph(encode_graph(*loaded.model, job.run.compute, image), job.in, job);
}

}  // namespace tintype
