#!/bin/sh
# Runs woof with the Node beside it, and needs no other program.
here=${0%/*}
[ "$here" = "$0" ] && here=.
exec "$here/node" "$here/../lib/bin/woof" "$@"
