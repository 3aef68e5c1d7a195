/** What each shell has to know: it asks woof for the words that fit, one per line. A folder ends with a slash. */
export const SHELLS = {
  bash: `# woof completion bash
_woof() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <("$1" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == */ ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -o filenames -F _woof woof
`,
  zsh: `#compdef woof
# woof completion zsh
_woof() {
  local -a found
  found=("\${(@f)$("\${words[1]}" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(\${found:#})
  compadd -S '' -- \${(M)found:#*/}
  compadd -- \${found:#*/}
}
compdef _woof woof
`,
  fish: `# woof completion fish
function __woof_words
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    woof completion words -- $before[2..-1] "$current" 2>/dev/null
end
complete -c woof -f -a '(__woof_words)'
`,
} as const;
