#!/bin/sh
# Copies this folder to PREFIX/lib/woof and writes the command PREFIX/bin/woof. PREFIX is ~/.local by default.
set -eu
from=$(cd "$(dirname "$0")" && pwd)
prefix=${1:-"$HOME/.local"}
mkdir -p "$prefix/bin" "$prefix/lib"
prefix=$(cd "$prefix" && pwd)
new="$prefix/lib/.woof-$$"
rm -rf "$new"
cp -R "$from" "$new"
rm -rf "$prefix/lib/woof"
mv "$new" "$prefix/lib/woof"
quoted=$(printf %s "$prefix" | sed "s/'/'\\\\''/g")
printf "#!/bin/sh\nexec '%s/lib/woof/bin/woof' \"\$@\"\n" "$quoted" >"$prefix/bin/.woof-$$"
chmod 755 "$prefix/bin/.woof-$$"
mv "$prefix/bin/.woof-$$" "$prefix/bin/woof"
echo "woof $("$prefix/bin/woof" --version) is in $prefix/bin"
case ":$PATH:" in
  *":$prefix/bin:"*) ;;
  *) echo "Add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
