#compdef woof
# woof completion zsh
_woof() {
  local line word about woof=${(Q)words[1]}
  local -a folders others
  for line in "${(@f)$("${woof/#\~\//$HOME/}" completion words -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    word=${line%%$'\t'*} about=${line#*$'\t'}
    # Zsh would quote the tilde.
    [[ $PREFIX == \~/* ]] && word=${word#\~/}
    word=${${word//\\/\\\\}//:/\\:}
    if [[ $word == */ ]]; then
      folders+=("$word")
    elif [[ -n $word ]]; then
      others+=("$word${about:+:$about}")
    fi
  done
  [[ $PREFIX == \~/* ]] && compset -P '\~/'
  _describe -V 'woof' folders -S '' -- others
}
compdef _woof woof
