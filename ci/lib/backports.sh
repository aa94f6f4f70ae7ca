# Sourced by ci/setup: a source for a backports suite, modelled on an installed source of the release,
# so that the mirror, its keys and its transport are the ones the machine already trusts.

# backports_stanza SUITE [SOURCES_DIR]: prints a deb822 stanza for SUITE ("bookworm-backports"), derived
# from the first enabled source of the release ("bookworm"). Fails when there is none.
backports_stanza() {
  local suite=$1 dir=${2:-/etc/apt} release=${1%-backports} file
  for file in "$dir"/sources.list.d/*.sources; do
    [ -e "$file" ] && stanza_from_deb822 "$file" "$release" "$suite" && return 0
  done
  for file in "$dir"/sources.list "$dir"/sources.list.d/*.list; do
    [ -e "$file" ] && stanza_from_one_line "$file" "$release" "$suite" && return 0
  done
  return 1
}

# A deb822 stanza may fold fields over several lines (an embedded key in Signed-By); every field but
# Types, Suites, Components and Enabled is kept as it stands.
stanza_from_deb822() {
  awk -v release="$2" -v suite="$3" '
    function words_have(line, word,   n, w, i) {
      sub(/^[^:]*:/, "", line); n = split(line, w, /[ \t]+/)
      for (i = 1; i <= n; i++) if (w[i] == word) return 1
      return 0
    }
    function close_stanza() {
      if (!found && fits_suite && fits_type && fits_main && enabled) { printf "%s", text; found = 1 }
      text = ""; fits_suite = fits_type = fits_main = 0; enabled = 1; keep = 1
    }
    BEGIN { enabled = 1; keep = 1 }
    /^[ \t]*$/ { close_stanza(); next }
    /^#/ { next }
    /^[ \t]/ { if (keep) text = text $0 "\n"; next }
    {
      keep = 1; name = tolower($0); sub(/:.*/, "", name)
      if (name == "types") { fits_type = words_have($0, "deb"); text = text "Types: deb\n"; keep = 0 }
      else if (name == "suites") { fits_suite = words_have($0, release); text = text "Suites: " suite "\n"; keep = 0 }
      else if (name == "components") { fits_main = words_have($0, "main"); text = text "Components: main\n"; keep = 0 }
      else if (name == "enabled") { enabled = !(tolower($0) ~ /no|false|0/); keep = 0 }
      else text = text $0 "\n"
    }
    END { close_stanza(); exit !found }' "$1"
}

# "deb [signed-by=KEY arch=amd64] URI release main …"
stanza_from_one_line() {
  awk -v release="$2" -v suite="$3" '
    $1 == "deb" {
      line = $0; options = ""
      if (match(line, /\[[^]]*\]/)) {
        options = substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
      }
      n = split(line, word, /[ \t]+/)
      if (word[3] != release) next
      for (i = 4; i <= n && word[i] != "main"; i++) ;
      if (i > n) next
      print "Types: deb"; print "URIs: " word[2]; print "Suites: " suite; print "Components: main"
      m = split(options, option, /[ \t]+/)
      for (i = 1; i <= m; i++) {
        name = value = option[i]; sub(/=.*/, "", name); sub(/^[^=]*=/, "", value); gsub(/,/, " ", value)
        if (name == "signed-by") print "Signed-By: " value
        else if (name == "trusted") print "Trusted: " value
        else if (name == "arch") print "Architectures: " value
      }
      found = 1; exit
    }
    END { exit !found }' "$1"
}
