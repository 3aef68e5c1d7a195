# woof completion fish
function __woof_words
    set -l before (commandline -opc)
    set -l raw (commandline -ct)
    set -l current (string unescape -- $raw)
    or set current (string trim --left --chars "\"'" -- $raw)
    woof completion words -- $before[2..-1] "$current" 2>/dev/null
end
complete -c woof -f -k -a '(__woof_words)'
