#compdef woof
# woof completion zsh
_woof() {
  local -a found
  found=("${(@f)$("${words[1]}" completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(${found:#})
  compadd -S '' -- ${(M)found:#*/}
  compadd -- ${found:#*/}
}
compdef _woof woof
