# The lines around these set woof_area, woof_halt and woof_root, and use woof_timeout and woof_env.
# shellcheck disable=SC2034,SC2154
woof_failed=0
woof_timeout=$(command -v timeout)
woof_env=$(command -v env)
woof_die() {
  echo "woof: $1" >&2
  exit 1
}
woof_mark() { printf '%s\n' "$*" >>"$woof_area/marks" || woof_die "cannot write to $woof_area"; }
woof_mark_now() {
  if [ -n "$EPOCHREALTIME" ]; then
    woof_ms=${EPOCHREALTIME/[.,]/}
    woof_mark "$@" "${woof_ms%???}"
  else
    woof_mark "$@" "$(date +%s%3N)"
  fi
}
woof_enter() { cd -P -- "$1" 2>/dev/null || return; }
woof_refuse() {
  woof_mark fault "$woof_name" "${1//$'\n'/ }"
  exit 126
}
# Must be below the working directory after following links: an earlier command may have put one there.
woof_enter_below() {
  woof_enter "$woof_root/$1" || woof_refuse "\"cwd\" must be a directory that exists: nothing exists at $woof_root/$1"
  case $PWD/ in
    "${woof_root%/}"/*) ;;
    *) woof_refuse "\"cwd\" must stay under workdir, but leads to $PWD" ;;
  esac
}
# Arguments: index, whether it may fail.
woof_run() {
  woof_name=$1
  [ ! -e "$woof_area/stop" ] || woof_die 'the block is no longer needed'
  woof_mark_now began "$1"
  ("woof_command_$1") </dev/null >"$woof_area/$1.stdout" 2>"$woof_area/$1.stderr"
  woof_status=$?
  woof_mark_now ended "$1" "$woof_status"
  [ "$woof_status" = 0 ] || [ "$2" = may_fail ] || woof_failed=1
  if [ "$woof_failed$woof_halt" = 1yes ]; then
    woof_mark_now 'done'
    exit 1
  fi
}

# Slurm may start a job twice, or start one that nobody waits for. Only the one that creates this folder continues.
if [ -e "$woof_area/stop" ] || ! mkdir "$woof_area/begun" 2>/dev/null; then
  echo 'woof: this block was started a second time, or is no longer needed; it does nothing' >&2
  exit 0
fi
woof_mark job "$SLURM_JOB_ID"
