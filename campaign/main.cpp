/// The evidence engine's command line. It lists no checks yet; it says so and fails, so that nobody
/// takes an empty campaign for a green one.

#include <cstdio>

int main() {
  std::fputs("error: this build of `campaign` holds no checks\n", stderr);
  return 1;
}
