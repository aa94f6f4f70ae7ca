/// campaign-plant: puts canaries into the world around a boxd, then becomes that boxd. Only the
/// campaign starts it.

#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "campaign/world/plant_guest.hpp"
#include "campaign/world/plant_host.hpp"
#include "campaign/world/planted.hpp"

int main(int argc, char** argv) {
  namespace campaign = pybox::campaign;
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (argc == 3 && word == "process") campaign::be_the_planted_process(argv[2]);
  if (::getpid() == 1 && argc == 1) return campaign::plant_in_guest();
  if (argc == 4 && word == "host") return campaign::plant_on_host(argv[2], argv[3]);
  if (word == "enter") return campaign::enter_and_start(argc, argv);
  std::fputs("campaign-plant is started by campaign\n", stderr);
  return 2;
}
