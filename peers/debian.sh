# Sourced: packages of Debian's unstable suite, extracted into a folder without telling the machine's own apt, whose
# mirror they come from. What is extracted needs that suite's libc, so it is started by the loader beside it.

# unstable: from here on apt-get and apt-cache of this shell speak of that suite, with state of their own.
unstable() {
  local uri signed=/usr/share/keyrings/debian-archive-keyring.gpg
  state=$(mktemp -d)
  trap 'rm -rf "$state"' EXIT
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1)
  [ -n "$uri" ] || { echo "apt has no Debian mirror; is apt-get update due?" >&2 && return 1; }
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  echo "deb [signed-by=$signed] $uri sid main" >"$state/sources.list"
  cat >"$state/apt.conf" <<CONF
Dir::Etc::SourceList "$state/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::lists "$state/lists";
Dir::Cache "$state/cache";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
CONF
  export APT_CONFIG=$state/apt.conf
  apt-get update -qq
}

# closure PACKAGE: it and all that it depends on.
closure() {
  apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "$1" |
    grep '^[a-z0-9]'
}

# extract FOLDER PACKAGE...: the packages' files, below FOLDER, which is made anew.
extract() {
  local folder=$1
  shift
  rm -rf "$folder" && mkdir -p "$folder"
  (cd "$state" && apt-get download -qq "$@" && for deb in *.deb; do dpkg-deb -x "$deb" "$folder"; done)
  lib=$(dirname "$(find "$folder/usr/lib" -name 'ld-linux*.so.*' | head -n 1)")
  loader=$(find "$lib" -name 'ld-linux*.so.*')
}
