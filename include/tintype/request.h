// What a caller asks the engine for: plain values, fit to be sent to another process.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tintype {

// How the engine computes; fixed while it lives.
struct EngineOptions {
  std::string backend = "cpu";    // cpu, reference
  std::string compute = "auto";   // auto, f32, bf16: type of activations and products
  std::string act = "as-stored";  // as-stored, weight-only: whether int8 weights get int8 inputs
  std::string isa;                // avx2, avx512; empty: the best this machine has
  std::string load = "map";       // map, read
  bool strict = false;            // refuse files with tensors that nothing asks for
  int threads = 0;                // 0: one per core
  uint64_t budget = 0;            // bytes that the process may keep in memory; 0: no limit
  std::vector<std::string> excluded_kernels;                // ids
  std::vector<std::pair<std::string, std::string>> routes;  // op, kernel id
};

inline constexpr int kMostT5Length = 4096;

// One picture. An empty text or a zero means: the default of the recipe, the file or the family.
struct Request {
  std::vector<std::string> files;       // what each is, is found out; recipes are resolved before
  std::string denoiser, clip, t5, vae;  // the same with the role given

  std::string prompt, negative;
  int width = 0, height = 0;  // pixels, multiples of 8
  int steps = 0;
  double cfg = 1;
  double guidance = -1;  // distilled guidance; below 0: the family's default
  std::string sampler = "euler", scheduler = "simple", shift = "auto", rng = "cpu";
  uint64_t seed = 0;
  int t5_length = 256;  // tokens to pad to, up to kMostT5Length; longer prompts are never cut
};

}  // namespace tintype
