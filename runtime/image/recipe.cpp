#include "image/recipe.hpp"

#include <iterator>

#include "base/digest.hpp"
#include "image/architecture.hpp"

namespace pybox::image {
namespace {

/// Raise when the steps in prepare.cpp, tree.cpp or kernel_build.cpp change what they produce.
constexpr std::string_view kStepsVersion = "1";

/// What a box never needs. Empty folders that a box does need come back with Recipe::folders.
constexpr std::string_view kDrop[] = {
    "boot",
    "home",
    "media",
    "mnt",
    "opt",
    "root",
    "run",
    "srv",
    "sys",
    "var",
    "dev",
    "tmp",
    "proc",
    "etc/apt",
    "etc/alternatives",
    "etc/bindresvport.blacklist",
    "etc/ca-certificates",
    "etc/cron*",
    "etc/debconf.conf",
    "etc/default",
    "etc/dpkg",
    "etc/ethertypes",
    "etc/fstab",
    "etc/gai.conf",
    "etc/issue*",
    "etc/logrotate.d",
    "etc/profile.d",
    "etc/python3*",
    "etc/rpc",
    "etc/skel",
    "etc/update-motd.d",
    "etc/xattr.conf",
    "etc/ssl/private",
    "usr/bin/apt*",
    "usr/bin/c_rehash",
    "usr/bin/debconf*",
    "usr/bin/dpkg*",
    "usr/bin/iconv",
    "usr/bin/ischroot",
    "usr/bin/localedef",
    "usr/bin/openssl",
    "usr/bin/run-parts",
    "usr/bin/savelog",
    "usr/bin/tzselect",
    "usr/bin/update-alternatives",
    "usr/bin/zdump",
    "usr/bin/ld.so",
    "usr/bin/pldd",
    "usr/bin/py3*",
    "usr/bin/pygettext*",
    "usr/share/applications",
    "usr/share/base-files",
    "usr/share/bash-completion",
    "usr/share/binfmts",
    "usr/share/bug",
    "usr/share/ca-certificates",
    "usr/share/common-licenses",
    "usr/share/debconf",
    "usr/share/debianutils",
    "usr/share/dict",
    "usr/share/doc",
    "usr/share/doc-base",
    "usr/share/dpkg",
    "usr/share/info",
    "usr/share/libc-bin",
    "usr/share/lintian",
    "usr/share/locale",
    "usr/share/man",
    "usr/share/menu",
    "usr/share/misc",
    "usr/share/perl5",
    "usr/share/pixmaps",
    "usr/share/polkit-1",
    "usr/games",
    "usr/include",
    "usr/src",
    "usr/local",
    "usr/lib/ssl/misc",
    "usr/lib/ssl/private",
    "usr/lib/binfmt.d",
    "usr/lib/tmpfiles.d",
    "usr/lib/systemd",
    "usr/lib/apt",
    "usr/lib/dpkg",
    "usr/libexec/dpkg",
    "usr/lib/python3/dist-packages/debconf.py",
    "usr/lib/python3.13/sitecustomize.py",  // a hook for crash reports, read at every start
};

/// And what it needs: the standard library with all that it looks for at run time, and a shell.
constexpr std::string_view kPackages[] = {
    "python3.13",       // and with it the standard library
    "python3.13-gdbm",  // dbm.gnu
    "python3.13-venv",  // ensurepip
    "tzdata",           // zoneinfo
    "tzdata-legacy",    // and its old names, such as US/Eastern
    "ca-certificates",  // ssl.create_default_context()
    "media-types",      // mimetypes
    "netbase",          // socket.getservbyname()
    "ncurses-base",     // terminfo for curses
    "base-files",       // the root's links
    "libc-bin",         // C.UTF-8, and ldconfig for ctypes.util
    "dash",             // subprocess with shell=True, and what one calls there
    "coreutils",
    "findutils",
    "grep",
    "sed",
    "mawk",
    "debianutils",
};

/// What maintainer scripts or an administrator would have written.
constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
    {"etc/passwd",
     "root:x:0:0:root:/tmp:/usr/sbin/nologin\nbox:x:1000:1000:box:/tmp:/bin/sh\n"
     "nobody:x:65534:65534:nobody:/tmp:/usr/sbin/nologin\n"},
    {"etc/group", "root:x:0:\nbox:x:1000:\nnogroup:x:65534:\n"},
    {"etc/hosts", "127.0.0.1 localhost box\n::1 localhost\n"},
    {"etc/hostname", "box\n"},
    {"etc/resolv.conf", ""},
    {"etc/nsswitch.conf",
     "passwd: files\ngroup: files\nshadow: files\nhosts: files\nnetworks: files\n"
     "protocols: files\nservices: files\n"},
    {"etc/shells", "/bin/sh\n/usr/bin/sh\n"},
};
constexpr std::pair<std::string_view, std::string_view> kLinks[] = {
    {"usr/bin/python3", "python3.13"},
    {"usr/bin/python", "python3.13"},
    {"usr/bin/awk", "mawk"},
    {"usr/bin/which", "which.debianutils"},
    {"etc/localtime", "/usr/share/zoneinfo/Etc/UTC"},
};

Recipe make_stdlib_3_13() {
  Recipe recipe;
  recipe.name = "stdlib";
  recipe.python = "3.13";
  recipe.suite = "trixie";
  recipe.packages.assign(std::begin(kPackages), std::end(kPackages));
  recipe.drop.assign(std::begin(kDrop), std::end(kDrop));
  recipe.drop.push_back(std::string(kLibraryFolder) + "/gconv");
  recipe.keep_only = {{"usr/sbin", {"ldconfig"}}};  // ctypes.util.find_library() asks it
  recipe.folders = {
      "dev",           "etc/ssl/certs", "proc", "tmp", "usr/lib/python3/dist-packages",
      "usr/local/bin", "var/lib/dpkg"};
  for (const auto& [path, text] : kFiles) recipe.files.emplace_back(path, text);
  for (const auto& [path, target] : kLinks) recipe.links.emplace_back(path, target);
  return recipe;
}

/// Every field with its length before it: no two recipes share a text.
class FieldText {
 public:
  void add(std::string_view field) {
    text_ += std::to_string(field.size()) + ":" + std::string(field) + "\n";
  }
  void add_all(const std::vector<std::string>& fields) {
    add(std::to_string(fields.size()));
    for (const std::string& field : fields) add(field);
  }
  void add_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
    add(std::to_string(pairs.size()));
    for (const auto& [name, value] : pairs) add(name), add(value);
  }
  std::string digest() const { return "sha256:" + sha256_hex(text_); }

 private:
  std::string text_;
};

}  // namespace

const Recipe* base_recipe(std::string_view python) {
  static const Recipe stdlib = make_stdlib_3_13();
  return python == stdlib.python ? &stdlib : nullptr;
}

const KernelRecipe& kernel_recipe() {
  static const KernelRecipe recipe = {
      "trixie",
      "linux-image-cloud-" + std::string(kDebianArchitecture),
      // Disks at boot and hot-plugged ones, images, the tests' writable layer, entropy. virtio over
      // PCI, the console and tmpfs are built in.
      {"virtio_blk", "virtio_scsi", "sd_mod", "erofs", "overlay", "virtio_rng"},
  };
  return recipe;
}

std::string digest_of(const Recipe& recipe) {
  FieldText text;
  for (const std::string_view field :
       {kStepsVersion, std::string_view("image"), kDebianArchitecture, kErofsUuid,
        std::string_view(recipe.name), std::string_view(recipe.python),
        std::string_view(recipe.suite)}) {
    text.add(field);
  }
  text.add(std::to_string(kFileTime));
  text.add_all(recipe.packages);
  text.add_all(recipe.drop);
  for (const auto& [folder, names] : recipe.keep_only) text.add(folder), text.add_all(names);
  text.add_all(recipe.folders);
  text.add_pairs(recipe.files);
  text.add_pairs(recipe.links);
  return text.digest();
}

std::string digest_of(const KernelRecipe& recipe) {
  FieldText text;
  for (const std::string_view field :
       {kStepsVersion, std::string_view("kernel"), kDebianArchitecture,
        std::string_view(recipe.suite), std::string_view(recipe.package)}) {
    text.add(field);
  }
  text.add_all(recipe.modules);
  return text.digest();
}

}  // namespace pybox::image
