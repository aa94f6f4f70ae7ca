/// Build-time tool: turns seccomp_policy.txt into the two filter programs that boxd embeds.
/// Compiling a filter costs milliseconds, loading one microseconds, so it is done once, here.
/// usage: seccomp_compile POLICY.txt OUT.inc

#include <linux/filter.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Line {
  std::string verb;
  std::string protection;  ///< of every deny line, and of a nosys line that has one
  std::vector<std::string> names;
  std::vector<scmp_arg_cmp> conditions;
  int number = 0;
};

[[noreturn]] void fail(int line, const std::string& why) {
  std::fprintf(stderr, "seccomp_policy.txt:%d: %s\n", line, why.c_str());
  std::_Exit(1);
}

scmp_datum_t number_in(const std::string& text, int line) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || *end != '\0') fail(line, "not a number: " + text);
  return value;
}

/// "arg1&0xf==2" or "arg0==1".
scmp_arg_cmp condition_in(const std::string& text, int line) {
  if (!text.starts_with("arg") || text.size() < 6) fail(line, "not a condition: " + text);
  scmp_arg_cmp cmp{};
  cmp.arg = static_cast<unsigned>(text[3] - '0');
  const std::size_t equals = text.find("==");
  if (cmp.arg > 5 || equals == std::string::npos) fail(line, "not a condition: " + text);
  const scmp_datum_t value = number_in(text.substr(equals + 2), line);
  if (text[4] == '&') {
    cmp.op = SCMP_CMP_MASKED_EQ;
    cmp.datum_a = number_in(text.substr(5, equals - 5), line);
    cmp.datum_b = value;
  } else {
    // The kernel reads these arguments as int: only the low half counts.
    cmp.op = SCMP_CMP_MASKED_EQ;
    cmp.datum_a = 0xffffffffU;
    cmp.datum_b = value;
  }
  return cmp;
}

std::vector<Line> parse(const char* path) {
  std::ifstream in(path);
  if (!in) fail(0, std::string("cannot read ") + path);
  std::vector<Line> lines;
  std::string text;
  for (int number = 1; std::getline(in, text); ++number) {
    if (text.empty() || text[0] == '#') continue;
    const std::size_t colon = text.find(" : ");
    if (colon == std::string::npos || colon + 3 >= text.size()) fail(number, "no reason");
    std::istringstream words(text.substr(0, colon));
    Line line;
    line.number = number;
    words >> line.verb;
    std::string word;
    if (line.verb == "deny") words >> line.protection;
    bool in_conditions = false;
    while (words >> word) {
      if (word == "if") {
        in_conditions = true;
      } else if (word == "and") {
        continue;
      } else if (in_conditions) {
        line.conditions.push_back(condition_in(word, number));
      } else if (line.verb == "nosys" && line.names.empty() && word.starts_with("sec.")) {
        line.protection = word;
      } else {
        line.names.push_back(word);
      }
    }
    if (line.names.empty()) fail(number, "no system call");
    lines.push_back(line);
  }
  return lines;
}

std::uint32_t action_of(const Line& line) {
  if (line.verb == "allow" || line.verb == "allow-memfd") return SCMP_ACT_ALLOW;
  if (line.verb == "nosys") return SCMP_ACT_ERRNO(ENOSYS);
  if (line.verb == "deny") return SCMP_ACT_ERRNO(EPERM);
  fail(line.number, "unknown verb " + line.verb);
}

void add(scmp_filter_ctx filter, const Line& line) {
  const std::uint32_t action = action_of(line);
  for (const std::string& name : line.names) {
    const int call = seccomp_syscall_resolve_name(name.c_str());
    // Negative: unknown to this libseccomp or absent on this architecture. For a denied or
    // unsupported name the default already refuses it; an allowed one only ever loses comfort.
    if (call < 0) continue;
    const int status =
        seccomp_rule_add_array(filter, action, call, static_cast<unsigned>(line.conditions.size()),
                               line.conditions.data());
    // EACCES: the same as the default action, which needs no rule.
    if (status != 0 && status != -EACCES)
      fail(line.number, "libseccomp refuses the rule for " + name);
  }
}

std::string compile(const std::vector<Line>& lines, bool with_memfd) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (filter == nullptr) fail(0, "seccomp_init");
  seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
  for (const Line& line : lines) {
    if (line.verb == "allow-memfd" && !with_memfd) continue;
    add(filter, line);
  }
  const int fd = memfd_create("filter", 0);
  if (fd < 0 || seccomp_export_bpf(filter, fd) != 0) fail(0, "seccomp_export_bpf");
  const off_t size = lseek(fd, 0, SEEK_END);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (pread(fd, bytes.data(), bytes.size(), 0) != size) fail(0, "reading the filter back");
  close(fd);
  seccomp_release(filter);
  return bytes;
}

void emit(std::FILE* out, const char* name, const std::string& bytes) {
  std::fprintf(out, "constexpr sock_filter %s[] = {\n", name);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(sock_filter)) {
    sock_filter step{};
    std::char_traits<char>::copy(reinterpret_cast<char*>(&step), bytes.data() + at, sizeof(step));
    std::fprintf(out, "  {0x%04x, %u, %u, 0x%08x},\n", static_cast<unsigned>(step.code),
                 static_cast<unsigned>(step.jt), static_cast<unsigned>(step.jf), step.k);
  }
  std::fprintf(out, "};\n");
}

/// Which calls stand behind each sec.* name, for boxd-campaign. The conditional ones are refused by
/// the lack of a matching line, so they are named here.
void emit_refused(std::FILE* out, const std::vector<Line>& lines) {
  std::fprintf(out, "constexpr RefusedCall kRefused[] = {\n");
  const auto row = [&](const std::string& protection, const std::string& name) {
    const int call = seccomp_syscall_resolve_name(name.c_str());
    if (call >= 0) std::fprintf(out, "  {\"%s\", %d},\n", protection.c_str(), call);
  };
  for (const Line& line : lines) {
    if (line.protection.empty()) continue;
    for (const std::string& name : line.names) row(line.protection, name);
  }
  row("sec.sock", "socket");
  row("sec.sock", "socketpair");
  row("sec.tty", "ioctl");
  row("sec.ns", "clone");
  row("sec.ns", "clone3");
  row("sec.memfd", "memfd_create");
  row("sec.misc", "personality");
  row("sec.misc", "mknod");
  row("sec.misc", "mknodat");
  std::fprintf(out, "};\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail(0, "usage: seccomp_compile POLICY.txt OUT.inc");
  const std::vector<Line> lines = parse(argv[1]);
  std::FILE* out = std::fopen(argv[2], "w");
  if (out == nullptr) fail(0, std::string("cannot write ") + argv[2]);
  emit(out, "kFilterWithMemfd", compile(lines, true));
  emit(out, "kFilterWithoutMemfd", compile(lines, false));
  emit_refused(out, lines);
  return std::fclose(out) == 0 ? 0 : 1;
}
