#include <iostream>

#include "commands/commands.h"
#include "commands/plan_text.h"
#include "commands/request_options.h"

namespace tintype {
namespace {

class PlanCommand final : public Command {
 public:
  void declare(Options& options, Settings& settings) override {
    request_.declare(options, settings);
  }

  void run(const Options& options, const Settings& settings) override {
    const Job job = request_.resolve(options, settings);
    const PlanReport report = Engine(job.engine).plan(job.request);
    if (settings.json)
      std::cout << plan_json(report) << "\n";
    else
      print_plan(std::cout, report);
  }

 private:
  RequestOptions request_;
};

}  // namespace

const CommandEntry kPlanCommand{
    "plan", "what generate would run and how much memory it would take",
    "  tintype plan -m flux1-schnell.safetensors -m ae.safetensors --width 1024 --height 1024\n"
    "  tintype plan --budget 6GiB -m models/flux\n",
    make_command<PlanCommand>};

}  // namespace tintype
