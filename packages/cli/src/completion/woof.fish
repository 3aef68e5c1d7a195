# woof completion fish
function __woof_words
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    woof completion words -- $before[2..-1] "$current" 2>/dev/null
end
complete -c woof -f -a '(__woof_words)'
