# What the machine's own packages have, when this user may install them.
wanted=()
need() { command -v "$1" >/dev/null || wanted+=("$2"); }
need strace strace
need python3 python3
need ps procps
need setsid util-linux
need node nodejs
need npm npm
need lldb-dap-22 lldb-22
python3 -m ensurepip --version >/dev/null 2>&1 || wanted+=(python3-venv)
if [ ${#wanted[@]} != 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt=(apt-get -qq -o DPkg::Lock::Timeout=120)
  "${apt[@]}" update
  "${apt[@]}" install -y --no-install-recommends "${wanted[@]}"
fi
ln -sf "$(command -v lldb-dap-22)" "$PEERS/bin/lldb-dap"
