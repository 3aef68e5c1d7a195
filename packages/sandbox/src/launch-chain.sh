# $1, $2: the limits of address space (KiB) and processes, or nothing. Then the files of control groups to join, up to
# --, and the command. RLIMIT_NPROC is `-u` in bash and busybox, and `-p` in dash.
ulimit -c 0
if [ "$1" ]; then ulimit -v "$1" || exit 125; fi
if [ "$2" ]; then { ulimit -u "$2" || ulimit -p "$2"; } 2>/dev/null || exit 125; fi
shift 2
while [ "$1" != -- ]; do
  echo 0 >"$1" || exit 125
  shift
done
shift
exec "$@"
