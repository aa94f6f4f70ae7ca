/// make_reports DIR [PREVIOUS]: finishes a sample folder with a key that is always the same. For
/// the tests that look at a folder from outside; users have `campaign report`.

#include <cstdio>

#include "campaign/model/history.hpp"
#include "reports/write.hpp"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  pybox::KeySeed seed{};
  seed.fill(7);
  const pybox::SigningKey key(seed);
  const std::filesystem::path dir = argv[1];
  const auto fail = [](const pybox::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.message().c_str());
    return 1;
  };
  if (argc > 2) {
    const auto link = pybox::campaign::take_over_previous(dir, argv[2]);
    if (!link) return fail(link.error());
  }
  if (const auto signed_plan = pybox::reports::sign_plan(dir, key); !signed_plan) {
    return fail(signed_plan.error());
  }
  const auto written = pybox::reports::write_reports(dir, key);
  return written ? 0 : fail(written.error());
}
