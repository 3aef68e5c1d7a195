# The bash driver: one shell whose variables, functions and working directory the cells share.
#
# - A request consists of fields that end with a zero byte, which no bash text can contain.
# - A cell is a file that the shell sources, so that messages have the cell's own line numbers.
# - The channel is closed while a cell runs: bash saves it on a descriptor that is closed on exec.
# - errexit, nounset, pipefail, noexec and xtrace end with the cell that set them. An EXIT trap runs when its cell ends.
# - `exit` (and errexit) must not end the kernel: the shell's trap writes its state to a file and executes the driver
#   again in the same process, which reads it. The table of background jobs is lost.
# - The same state moves to a shell with other permissions, without background jobs, open files and /tmp.
# - Every variable begins with __woof_: `local` fails if a cell made the name readonly.
#
# Arguments: this text, a temporary folder, the descriptors of channel, stdout and stderr, and the pending answer.
#
# Requests and the state set variables by name.
# shellcheck disable=SC2154

__woof_source=$1 __woof_tmp=$2 __woof_channel=$3 __woof_out=$4 __woof_err=$5 __woof_running=
__woof_fields=(__woof_n __woof_token __woof_status)
if [[ -n $6 ]]; then read -r "${__woof_fields[@]}" <<<"$6"; fi
set --

if [[ $__woof_channel == 3 ]]; then
  __woof_channel=$((20 + SRANDOM % 60 * 3)) __woof_out=$((__woof_channel + 1)) __woof_err=$((__woof_channel + 2))
  eval "exec $__woof_channel<&3 $__woof_out>&1 $__woof_err>&2 3>&-"
else
  # shellcheck disable=SC1091
  source "$__woof_tmp/.woof-bash/state" 2>/dev/null
fi

__woof_send() {
  builtin printf '{"n":%s,"token":"%s","kind":%s}\n' "$__woof_n" "$__woof_token" "$1" >&"$__woof_channel"
}

__woof_answer() {
  local __woof_mark
  builtin printf -v __woof_mark '\x1e%s00000001\x1e' "$__woof_token"
  builtin printf '%s' "$__woof_mark" >&"$__woof_out"
  builtin printf '%s' "$__woof_mark" >&"$__woof_err"
  __woof_send '"mark","mark":1'
  if (($1 == 0)); then
    __woof_send '"end"'
  else
    __woof_send '"end","error":{"output_type":"error","ename":"ExitStatus","evalue":"the cell ended with exit code '"$1"'","traceback":[]}'
  fi
}

trap() {
  if [[ $# -eq 2 && ($2 == EXIT || $2 == 0) ]]; then
    __woof_user_exit=$1
    if [[ $1 == - ]]; then __woof_user_exit=; fi
  else
    # shellcheck disable=SC2064
    builtin trap "$@"
  fi
}

__woof_state() {
  local __woof_name
  for __woof_name in $(compgen -v); do
    case $__woof_name in
      BASH* | __woof_* | EUID | UID | PPID | SHELLOPTS | FUNCNAME | GROUPS | DIRSTACK | PIPESTATUS | RANDOM | SRANDOM | SECONDS | LINENO | EPOCH* | HISTCMD | COMP_* | _) ;;
      HOME | TMPDIR) if [[ ${!__woof_name} != "$__woof_tmp" ]]; then declare -p "$__woof_name"; fi ;;
      *) declare -p "$__woof_name" 2>/dev/null ;;
    esac
  done
  declare -f
  shopt -p
  alias -p
}

__woof_save() {
  local __woof_text
  # Bash itself would take time quadratic in the length of the text.
  __woof_text=$({
    builtin printf 'cd %q 2>/dev/null\n' "$PWD"
    __woof_state
    declare -p __woof_bound
    umask -p
  } | command base64 -w0)
  __woof_send '"end","value":"'"$__woof_text"'"'
}

# A kernel without its channel cannot continue. The next cell gets a new kernel.
__woof_leave() {
  builtin printf '%s\n' 'the cell closed descriptors that its kernel needs: close only descriptors that your code opened' >&2
  __woof_running=
  builtin exit 70
}

__woof_finish() {
  set +eunxo pipefail
  # shellcheck disable=SC2261
  if ! { : >&"$__woof_channel" >&"$__woof_out" >&"$__woof_err"; } 2>/dev/null; then __woof_leave; fi
  eval "exec 0</dev/null 1>&$__woof_out 2>&$__woof_err"
  local __woof_handler=$__woof_user_exit
  __woof_user_exit='' __woof_running=''
  if [[ -n $__woof_handler ]]; then eval "$__woof_handler"; fi
}

__woof_exit() {
  local __woof_code=$?
  if [[ -z $__woof_running ]]; then builtin exit "$__woof_code"; fi
  __woof_finish
  __woof_state >"$__woof_tmp/.woof-bash/state"
  exec "$BASH" --norc --noprofile -c "$__woof_source" bash "$__woof_source" "$__woof_tmp" \
    "$__woof_channel" "$__woof_out" "$__woof_err" "$__woof_n $__woof_token $__woof_code"
}

__woof_json() {
  local __woof_text=$1 __woof_byte __woof_from __woof_to
  __woof_text=${__woof_text//\\/\\\\}
  __woof_text=${__woof_text//\"/\\\"}
  __woof_text=${__woof_text//$'\n'/\\n}
  __woof_text=${__woof_text//$'\t'/\\t}
  __woof_text=${__woof_text//$'\r'/\\r}
  if [[ $__woof_text == *[$'\x01'-$'\x1f']* ]]; then
    for __woof_byte in {1..31}; do
      builtin printf -v __woof_to '\\u%04x' "$__woof_byte"
      builtin printf -v __woof_from '%b' "\\x${__woof_to: -2}"
      __woof_text=${__woof_text//"$__woof_from"/"$__woof_to"}
    done
  fi
  __woof_value="\"$__woof_text\""
}

__woof_read() {
  local -n __woof_ref=$1
  local __woof_kind __woof_key __woof_list=
  if [[ -n ${__woof_provided[$1]} ]]; then
    __woof_send '"end"'
    return
  fi
  __woof_kind=$(declare -p "$1" 2>/dev/null) || {
    __woof_send '"end"'
    return
  }
  __woof_kind=${__woof_kind#declare }
  case ${__woof_kind%%[[:space:]]*} in
    *A*)
      for __woof_key in "${!__woof_ref[@]}"; do
        __woof_json "$__woof_key"
        __woof_list+=",$__woof_value:"
        __woof_json "${__woof_ref[$__woof_key]}"
        __woof_list+=$__woof_value
      done
      __woof_value="{${__woof_list:1}}"
      ;;
    *a*)
      for __woof_key in "${__woof_ref[@]}"; do
        __woof_json "$__woof_key"
        __woof_list+=",$__woof_value"
      done
      __woof_value="[${__woof_list:1}]"
      ;;
    *) __woof_json "$__woof_ref" ;;
  esac
  __woof_send '"end","value":'"$__woof_value"
}

builtin trap __woof_exit EXIT
if [[ -n $__woof_token ]]; then __woof_answer "$__woof_status"; fi

while IFS= read -r -d '' -u "$__woof_channel" __woof_do; do
  for __woof_field in __woof_n __woof_token __woof_cell __woof_code; do
    IFS= read -r -d '' -u "$__woof_channel" "$__woof_field"
  done
  case $__woof_do in
    run)
      builtin printf '%s\n' "$__woof_code" >"$__woof_tmp/.woof-bash/$__woof_cell"
      unset __woof_code
      __woof_running=1
      eval 'source "$__woof_tmp/.woof-bash/$__woof_cell"' "$__woof_channel>&- $__woof_out>&- $__woof_err>&-"
      __woof_status=$?
      __woof_finish
      __woof_answer "$__woof_status"
      ;;
    read)
      __woof_read "$__woof_code"
      ;;
    save)
      __woof_save
      ;;
    load)
      eval "$(command base64 -d <<<"$__woof_code")" 2>/dev/null
      unset __woof_code
      __woof_send '"end"'
      ;;
    *)
      eval "$__woof_code"
      __woof_send '"end"'
      ;;
  esac
  __woof_token=
done
