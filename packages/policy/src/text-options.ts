/** Programs that accept a command line as the value of an option, and which words contain it. */

const TAR = [
  /^--to-c[a-z]*(?:=(.*))?$/s,
  /^(?:--checkpoint-a[a-z]*=)?exec=(.*)$/s,
  /^--use-c[a-z-]*(?:=(.*))?$/s,
  /^-[a-zA-Z]*[IF](.+)?$/s,
  /^--(?:new-volume|info|rsh|rmt)-(?:script|command)(?:=(.*))?$/s,
];
const SSH = [/^(?:-o)?\s*(?:proxycommand|localcommand|knownhostscommand)[=\s]+(.*)$/is, /^-S(.+)?$/s];

/** Options whose value, attached or in the next word, is a command line. */
export const TEXT_OPTIONS: Record<string, readonly RegExp[]> = {
  tar: TAR,
  bsdtar: TAR,
  ssh: SSH.slice(0, 1),
  scp: SSH,
  sftp: SSH,
  split: [/^--fi[a-z]*(?:=(.*))?$/s],
  sort: [/^--comp[a-z-]*(?:=(.*))?$/s],
  zip: [/^-TT(.+)?$/s, /^--unzip-command(?:=(.*))?$/s],
  man: [/^-P(.+)?$/s, /^--pager(?:=(.*))?$/s],
  rg: [/^--pre(?:=(.*))?$/s],
  go: [/^--?(?:exec|toolexec)(?:=(.*))?$/s],
  tcpdump: [/^-z(.+)?$/s],
  nc: [/^-[a-z0-9]*[ec](.+)?$/s],
  ncat: [/^-[a-z0-9]*[ec](.+)?$/s, /^--(?:sh-)?exec(?:=(.*))?$/s],
  socat: [/^(?:exec|system|shell):(.*)$/is],
  sbatch: [/^--wrap(?:=(.*))?$/s],
  gdb: [/^(?:-{0,2}eval-command=|-{1,2}ex=)?(?:shell|!|make)\s+(.*)$/s, /^(?:-{1,2}ex=)?!(.*)$/s],
  hyperfine: [/^([^-].*)$/s],
  // Shell builtins.
  trap: [/^([^-].*)$/s],
  alias: [/^[^=]+=(.*)$/s],
  pee: [/^([^-].*)$/s],
  rsync: [/^--rsh(?:=(.*))?$/s, /^-[a-zA-Z]*e(.+)?$/s, /^--rsync-path(?:=(.*))?$/s],
  // Aliases that begin with `!`, and settings that name programs.
  git: [
    /^alias\.[^=]*=!(.*)$/s,
    /^(?:core\.(?:sshcommand|pager|editor|fsmonitor|askpass)|pager\.\w+|sequence\.editor|diff\.external)=(.*)$/is,
    /^(?:(?:diff|merge|filter|difftool|mergetool)\..*\.(?:command|driver|clean|smudge|process|textconv|cmd)|gpg\.program)=(.*)$/is,
    /^credential\..*helper=!(.*)$/is,
    /^credential\.helper=!(.*)$/is,
    /^--(?:upload-pack|receive-pack|extcmd|open-files-in-pager)=(.*)$/s,
    /^--exec(?:=(.*))?$/s,
    /^-[xO](.+)?$/s,
    /^--(?:\w+-)?filter(?:=(.*))?$/s,
    /^ext::(.*)$/s,
  ],
};
