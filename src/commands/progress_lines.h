// How a running job is shown: a bar on a terminal, a line per 10 % elsewhere, or JSON lines.
#pragma once

#include <iosfwd>
#include <string>

#include "tintype/progress.h"

namespace tintype {

enum class ProgressStyle { kNone, kBar, kLines, kJson };

// For standard error.
ProgressStyle progress_style(bool quiet, bool json);

// One line of JSON; the only definition of the schema:
//   {"event":"stage","stage":"encode","text":"t5xxl"}
//   {"event":"progress","stage":"denoise","step":3,"steps":20,"fraction":0.15}
//   {"event":"notice","stage":"load","text":"…"}
// After them, generate writes {"event":"picture","path":…} for each picture.
std::string event_json(const Event& event);

class ProgressLines {
 public:
  ProgressLines(std::ostream& out, ProgressStyle style) : out_(out), style_(style) {}

  void show(const Event& event);
  // Removes what is left of the bar.
  void finish();

 private:
  bool advanced(const Event& event, int parts);
  bool next_step(const Event& event);
  void draw_bar(const Event& event);

  std::ostream& out_;
  ProgressStyle style_;
  std::string stage_;       // that progress was last shown of
  int shown_ = -1;          // how much of it, in parts
  std::string steps_;       // "3/20", if the stage has steps
  size_t bar_columns_ = 0;  // that the bar takes now
};

}  // namespace tintype
