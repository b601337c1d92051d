#include <signal.h>
#include <unistd.h>

#include "base/os.h"

namespace tintype {
namespace {

std::atomic<std::atomic<bool>*> asked_to_stop = nullptr;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

void on_interrupt(int) {
  if (!asked_to_stop.load()->exchange(true)) return;
  remove_temporaries();
  _exit(130);
}

}  // namespace

void install_interrupt_handler(std::atomic<bool>& flag) {
  asked_to_stop = &flag;
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = 0;  // no SA_RESTART: a program that waits for its input stops waiting
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGXFSZ, SIG_IGN);
}

}  // namespace tintype
