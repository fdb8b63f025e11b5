# The TypeScript whose server is JavaScript, the language server around it, and pyright, which is of the same registry.
mkdir -p "$PEERS/typescript"
cd "$PEERS/typescript"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix . \
  pyright@1.1.414 typescript@6.0.3 typescript-language-server@5.3.0
ln -sf "$PWD"/node_modules/.bin/{pyright,pyright-langserver,tsc,typescript-language-server} "$PEERS/bin/"
