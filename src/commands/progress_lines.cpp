#include "commands/progress_lines.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/os.h"

namespace tintype {
namespace {

constexpr int kBarColumns = 30;

int percent(const Event& event) {
  return static_cast<int>(std::clamp(event.fraction, 0.0, 1.0) * 100);
}

}  // namespace

ProgressStyle progress_style(bool quiet, bool json) {
  if (quiet) return ProgressStyle::kNone;
  if (json) return ProgressStyle::kJson;
  return error_is_terminal() ? ProgressStyle::kBar : ProgressStyle::kLines;
}

std::string event_json(const Event& event) {
  nlohmann::ordered_json line;
  switch (event.kind) {
    case Event::Kind::kStage:
      line = {{"event", "stage"}, {"stage", event.stage}, {"text", event.text}};
      break;
    case Event::Kind::kNotice:
      line = {{"event", "notice"}, {"stage", event.stage}, {"text", event.text}};
      break;
    case Event::Kind::kProgress:
      line = {{"event", "progress"},
              {"stage", event.stage},
              {"step", event.step},
              {"steps", event.steps},
              {"fraction", event.fraction}};
      break;
  }
  return line.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

// Whether the stage has gone on by another part since something was shown.
bool ProgressLines::advanced(const Event& event, int parts) {
  const int part = percent(event) * parts / 100;
  if (event.stage != stage_) {
    stage_ = event.stage;
    shown_ = 0;
    steps_.clear();
  }
  const bool more = part > shown_;
  shown_ = std::max(shown_, part);
  return more;
}

// Whether another step is done since something was shown.
bool ProgressLines::next_step(const Event& event) {
  if (event.steps == 0) return false;
  std::string steps = concat_text(event.step, "/", event.steps);
  if (steps == steps_) return false;
  steps_ = std::move(steps);
  return true;
}

void ProgressLines::draw_bar(const Event& event) {
  const int filled = percent(event) * kBarColumns / 100;
  std::ostringstream bar;
  bar << std::left << std::setw(8) << event.stage << " ["
      << std::string(static_cast<size_t>(filled), '#')
      << std::string(static_cast<size_t>(kBarColumns - filled), '.') << "] " << std::right
      << std::setw(3) << percent(event) << " %  " << steps_;
  const std::string text = bar.str();
  const size_t left = bar_columns_ > text.size() ? bar_columns_ - text.size() : 0;
  out_ << "\r" << text << std::string(left, ' ') << std::flush;
  bar_columns_ = text.size();
}

void ProgressLines::show(const Event& event) {
  const bool progress = event.kind == Event::Kind::kProgress;
  if (style_ == ProgressStyle::kNone) return;
  const bool lines = style_ == ProgressStyle::kLines;
  const bool more = progress && advanced(event, lines ? 10 : 100);
  const bool stepped = progress && !lines && next_step(event);
  if (style_ == ProgressStyle::kJson) {
    if (!progress || more || stepped) out_ << event_json(event) << std::endl;
  } else if (event.kind == Event::Kind::kNotice) {
    finish();
    out_ << "note: " << event.text << std::endl;
  } else if (lines && more) {
    out_ << event.stage << " " << shown_ * 10 << " %" << std::endl;
  } else if (more || stepped) {
    draw_bar(event);
  }
}

void ProgressLines::finish() {
  if (bar_columns_ > 0) out_ << "\r" << std::string(bar_columns_, ' ') << "\r" << std::flush;
  bar_columns_ = 0;
}

}  // namespace tintype
