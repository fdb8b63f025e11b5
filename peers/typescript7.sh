# The native TypeScript, which is a language server itself; it shares its name with the older one.
mkdir -p "$PEERS/typescript7"
cd "$PEERS/typescript7"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix . typescript@7.0.2
ln -sf "$PWD/node_modules/.bin/tsc" "$PEERS/bin/tsc7"
