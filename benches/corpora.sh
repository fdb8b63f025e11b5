#!/usr/bin/env bash
# Brings the sources that the structural bench searches, and the peers it is measured against, by ordinary package
# clients, into the folder named by the first argument. What is there already is left alone.
set -euo pipefail
self=$(realpath "${BASH_SOURCE[0]}")
mkdir -p "$1"
home=$(realpath "$1")

# bring NAME: runs the function NAME, in a shell of its own so that its first failure ends it, in a fresh folder that
# becomes $home/NAME only when it has succeeded.
bring() {
  local name=$1 fresh
  [ ! -e "$home/$name" ] || return 0
  echo "bringing $name" >&2
  fresh=$(mktemp -d "$home/.$name.XXXXXX")
  if (cd "$fresh" && bash "$self" "$home" "$name") >"$home/$name.log" 2>&1; then
    mv -T "$fresh" "$home/$name" 2>/dev/null || rm -rf "$fresh"
  else
    echo "could not bring $name: see $home/$name.log" >&2
    rm -rf "$fresh"
  fi
}

peers() { python3 -m venv . && bin/pip install --quiet ast-grep-cli==0.51.1; }

python() { python3 -m pip install --quiet --no-deps --no-compile --target . sympy==1.13.3 Django==5.1.4; }

typescript() { npm install --silent --ignore-scripts --no-audit --no-fund --prefix . effect@3.12.0 rxjs@7.8.1 typeorm@0.3.20 zod@4.0.0; }

rust() {
  mkdir -p src && touch src/lib.rs
  cat >Cargo.toml <<'TOML'
[package]
name = "corpus"
version = "0.0.0"
edition = "2024"
[workspace]
[dependencies]
bevy_ecs = "=0.16.1"
gix = "=0.70.0"
ratatui = "=0.29.0"
rustls = "=0.23.20"
syn = "=2.0.106"
tokio = { version = "=1.42.0", features = ["full"] }
TOML
  cargo vendor --quiet vendor >/dev/null
  # Bindings to one system's interface are generated, and larger than everything else together.
  rm -rf vendor/windows* vendor/winapi* vendor/*.so
}

# apt with its own lists and sources, made from the machine's mirror: its state is left alone.
debian() {
  local uri suite
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  local signed='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
  mkdir -p apt/lists/partial
  printf 'deb-src %s %s %s main\ndeb %s %s sid main\n' "$signed" "$uri" "$suite" "$signed" "$uri" >apt/sources.list
  apt=(apt-get -qq -o "Dir::Etc::SourceList=$PWD/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::lists=$PWD/apt/lists" -o APT::Sandbox::User=root)
  "${apt[@]}" update
}

c() { debian && "${apt[@]}" source --download-only git && tar -xf git_*.orig.tar.xz && rm -rf apt git_*; }

dart() { debian && "${apt[@]}" download dart-sdk && dpkg-deb -x dart-sdk_*.deb sdk && mv sdk/usr/lib/dart/lib lib && rm -rf apt sdk dart-sdk_*; }

if [ $# = 2 ]; then
  "$2"
  exit
fi
for name in peers python typescript rust c dart; do bring "$name"; done
if ! command -v rg >/dev/null && [ "$(id -u)" = 0 ]; then apt-get install -y -qq ripgrep >/dev/null 2>&1 || true; fi
