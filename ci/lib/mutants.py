"""How ci/mutation changes the sources of boxd, and which mutants nobody needs to notice."""

# (protection, part) → why it may pass. Every entry is printed with its row.
EXPECTED = {
    ("cg.kill", "campaign"): "cgroup v1 has no such file, so nothing is left out there",
    ("sup.filecap", "campaign"): "the host counts again: a boxd that hands over more than it may is a lost box, not a weaker one",
    ("cg.swap", "campaign"): "its check needs swap, which the guest has and a host may not: tried in the VM only",
    ("cg.kill", "read-back"): "cgroup v1 has no such file; there the keeper's end ends the box",
}

# Protections without which a control arm still makes a box, in a way that harms nobody. What becomes of a box when the
# flag alone is left out: (name of that mutant, the flag, what the keeper says when it has to give up).
LITERAL = {
    # The mount namespace is then boxd's. The box's user namespace has no right over it.
    "ns.mnt": ("ns.mnt literally", "CLONE_NEWNS", "making mounts private: Operation not permitted"),
}

CHOICE = "runtime/box/mutant.cpp"

# Every `left_out` of the sources, which in the released boxd is the constant false, asks for the mutant's name. The
# protections themselves, the read-back and everything else are those of the released boxd.
PATCHES = [
    ("runtime/box/cuts.hpp", """  static constexpr bool left_out(std::string_view) { return false; }
""", """  static bool left_out(std::string_view protection) {
    for (const std::string_view each : kMutant) {
      if (each == protection) return true;
    }
    return false;
  }
"""),
    ("runtime/box/cuts.hpp", """#ifdef PYBOX_CAMPAIGN
""", """extern const std::vector<std::string_view> kMutant;
extern const bool kBlind;

#ifdef PYBOX_CAMPAIGN
"""),
    # The system call filter as the mutant's cuts want it.
    ("runtime/box/filter_choice.hpp", "#ifdef PYBOX_CAMPAIGN\n", "#if true\n"),
    ("runtime/box/CMakeLists.txt", "pybox_folder(box FILES ${BOX_FILES} ",
     "pybox_folder(box FILES ${BOX_FILES} mutant.cpp filter_choice_campaign.cpp maker_campaign.cpp "),
    # A box beside a stand-in, and what no control arm may have: one without the flag (LITERAL).
    ("runtime/box/maker.hpp", "#ifdef PYBOX_CAMPAIGN\n", "#if true\n"),
    ("runtime/box/box.cpp", "  return CLONE_NEWNS | (", """  return (cuts.left_out("ns.mnt literally") ? 0 : CLONE_NEWNS) | ("""),
    # The read-back that says that all is well.
    ("runtime/boxd/sealing.cpp", "  verified_ = monotonic_now();\n", """  if (box::kBlind) {
    for (SealCheck& check : report_.seal.checks) {
      check.observed = check.expected;
      check.ok = true;
    }
    report_.seal.verified = true;
  }
  verified_ = monotonic_now();
"""),
]


def patch(source):
    """Applies PATCHES to a copy of the sources; a place that reads differently now is an error."""
    for file, old, new in PATCHES:
        text = (source / file).read_text()
        if text.count(old) != 1:
            raise SystemExit(f"ci/mutation: {file} does not hold once: {old.strip()}")
        (source / file).write_text(text.replace(old, new))


def choose(source, names, blind):
    """The next build leaves these out; with `blind` its read-back says that all is well."""
    listed = ", ".join(f'"{name}"' for name in names)
    (source / CHOICE).write_text(f"""#include "box/cuts.hpp"

namespace pybox::box {{
const std::vector<std::string_view> kMutant = {{{listed}}};
const bool kBlind = {"true" if blind else "false"};
}}  // namespace pybox::box
""")


def proof(listed, name):
    """(cut, ids) of the campaign's native checks (`campaign list --json`) that must go red without this protection:
    those that leave out nothing else, or, where several layers stop the same attack, as little else as there is."""
    cuts = {}
    for check in listed:
        if check["engine"] == "native" and name in check["cut"]:
            cuts.setdefault(tuple(check["cut"]), []).append(check["id"])
    return min(cuts.items(), key=lambda each: len(each[0]), default=((), []))
