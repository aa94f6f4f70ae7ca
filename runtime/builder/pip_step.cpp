#include "builder/pip_step.hpp"

#include "builder/pack.hpp"
#include "builder/pip_trouble.hpp"

namespace pybox::builder {
namespace {

constexpr std::size_t kMostLog = 32U << 20U;

}  // namespace

BuilderStep pip_step(const std::string& python, const std::string& requirements,
                     const std::string& target) {
  BuilderStep step;
  step.argv = {"/usr/bin/python" + python,
               "-I",
               "-S",
               "/tmp/pip/pip",
               "install",
               "--require-hashes",
               "--only-binary=:all:",
               "--no-deps",
               "--no-compile",
               "--no-cache-dir",
               "--no-input",
               "--disable-pip-version-check",
               "--progress-bar=off",
               "--log=/tmp/out/pip.log",
               "--target=" + target,
               "--requirement=/tmp/in/" + requirements};
  return step;
}

Error pip_failure(const BuilderResult& result, const std::string& python) {
  const auto log = file_in_pack(result.pack, "out/pip.log", kMostLog);
  return pip_error(result.said, log ? *log : std::string(), python);
}

}  // namespace pybox::builder
