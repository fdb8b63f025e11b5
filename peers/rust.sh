# rust-analyzer of the toolchain in use, linked by its real path: the program of that name beside cargo is a shim that
# exists even when the component does not. Without rustup, or where it refuses: Debian's, started by its own loader.
rm -f "$PEERS/bin/rust-analyzer"
if rustup component add rust-analyzer rust-src; then
  ln -sf "$(rustup which rust-analyzer)" "$PEERS/bin/rust-analyzer"
  exit
fi
source "$SCRIPTS/debian.sh"
unstable
extract "$PEERS/rust-analyzer" $(closure rust-analyzer)
cat >"$PEERS/bin/rust-analyzer" <<PROGRAM
#!/bin/sh
exec "$loader" --library-path "$lib" "$PEERS/rust-analyzer/usr/bin/rust-analyzer" "\$@"
PROGRAM
chmod +x "$PEERS/bin/rust-analyzer"
