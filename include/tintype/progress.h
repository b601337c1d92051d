// How a job reports what it does: plain data, fit for memory shared with another process.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tintype {

// What runs at this moment, written before it runs; after a crash it names the culprit.
struct Breadcrumb {
  char stage[24] = {};      // "encode", "denoise", "decode"
  char component[24] = {};  // "t5-xxl", "denoiser", "vae"
  char layer[128] = {};     // "double_blocks.3.img_attn.qkv"
  char kernel[48] = {};     // "cpu.linear.panel"
};
// Writes one of its members: as much of `text` as fits, and a zero.
void set_crumb(std::span<char> member, std::string_view text);

// One report of a running job.
struct Event {
  enum class Kind { kStage, kProgress, kNotice };
  Kind kind = Kind::kProgress;
  std::string stage;        // load, encode, denoise, decode
  std::string text;         // of a notice; for a stage, what runs
  int step = 0, steps = 0;  // while denoising: steps done, of all
  double fraction = 0;      // of the stage, 0..1
};

// How a caller watches and stops a job. All members may be empty.
struct JobControl {
  std::function<void(const Event&)> on_event;
  const std::atomic<bool>* cancel = nullptr;
  Breadcrumb* crumb = nullptr;
};

}  // namespace tintype
