# woof completion bash
_woof() {
  local line word lead plain typed=()
  # Bash also splits words at = and :, and replaces only the last part, which is $2.
  _woof_join
  _woof_plain "${typed[${#typed[@]} - 1]%"$2"}"
  lead=$plain
  for word in "${!typed[@]}"; do
    _woof_plain "${typed[word]}"
    typed[word]=$plain
  done
  COMPREPLY=()
  while IFS= read -r line; do
    word=${line%%$'\t'*}
    COMPREPLY+=("${word#"$lead"}")
  done < <("${1/#\~\//$HOME/}" completion words -- "${typed[@]:1}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then
    compopt -o nospace 2>/dev/null
  fi
}

# Sets typed to the words up to the cursor. A part that no blank separates from the one before belongs to its word.
_woof_join() {
  local at rest=$COMP_LINE part blanks
  for ((at = 0; at <= COMP_CWORD; at++)); do
    part=${COMP_WORDS[at]}
    blanks=${rest%%[![:blank:]]*}
    rest=${rest:${#blanks}}
    rest=${rest:${#part}}
    if [[ $at -eq 0 || -n $blanks ]]; then
      typed+=("$part")
    else
      typed[${#typed[@]} - 1]+=$part
    fi
  done
}

# Sets plain to a word without its quotes. Nothing in it is expanded.
_woof_plain() {
  local raw=$1 quote='' char
  plain=''
  while [[ -n $raw ]]; do
    char=${raw:0:1}
    raw=${raw:1}
    case $quote$char in
      \\ | \"\\)
        plain+=${raw:0:1}
        raw=${raw:1}
        ;;
      \" | \') quote=$char ;;
      \"\" | \'\') quote='' ;;
      *) plain+=$char ;;
    esac
  done
}

complete -o filenames -o nosort -F _woof woof 2>/dev/null || complete -o filenames -F _woof woof
