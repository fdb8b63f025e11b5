# gopls and delve (static, so they run as they are) and the Dart SDK (made to use the libc beside it).
source "$SCRIPTS/debian.sh"
unstable
extract "$PEERS/sid" gopls delve dart-sdk libdouble-conversion3 zlib1g libc6 libgcc-s1 libstdc++6 patchelf
for program in "$PEERS"/sid/usr/lib/dart/bin/dart{,vm,aotruntime}; do
  [ ! -e "$program" ] || "$loader" --library-path "$lib" "$PEERS/sid/usr/bin/patchelf" \
    --set-interpreter "$loader" --set-rpath "\$ORIGIN/:$lib" "$program"
done
ln -sf "$PEERS"/sid/usr/bin/{gopls,dlv} "$PEERS/sid/usr/lib/dart/bin/dart" "$PEERS/bin/"
"$PEERS/bin/dart" --disable-analytics
