/** A person who types into bash, zsh or fish on a real pseudo-terminal, with Woof's completion. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { root, start, temporaryFolder } from './woof.ts';

/** What each shell reads when it starts. Ctrl-T notes the line that is being written, and empties it. */
const SET_UP = {
  bash: {
    file: 'bashrc',
    text: `source <(woof completion bash)
note() { printf '%s\\n' "$READLINE_LINE" >>"$NOTES"; READLINE_LINE=''; }
bind -x '"\\C-t": note'
echo ready >>"$NOTES"
`,
    command: 'bash --rcfile "$HOME/bashrc" -i',
  },
  zsh: {
    file: '.zshrc',
    text: `autoload -Uz compinit; compinit -u -D
source <(woof completion zsh)
note() { print -r -- "$BUFFER" >>$NOTES; BUFFER=''; }
zle -N note; bindkey '^T' note
print ready >>$NOTES
`,
    command: 'zsh -d -i',
  },
  fish: {
    file: 'config/fish/config.fish',
    text: `woof completion fish | source
function note; commandline >>$NOTES; commandline ''; end
function fish_user_key_bindings; bind \\ct note; end
echo ready >>$NOTES
`,
    command: 'fish -i',
  },
};

export type Shell = keyof typeof SET_UP;

/** What each line has become after a Tab at its end, and all that was on the screen. */
export async function completed(shell: Shell, lines: readonly string[], cwd: string) {
  const { file, text, command } = SET_UP[shell];
  const home = temporaryFolder({ 'in home.yaml': '' });
  // Fish reads all manual pages in the background, even after it has ended, unless this folder of its data exists.
  for (const folder of ['bin', 'config/fish', 'data/fish/generated_completions'])
    mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, file), text);
  const woof = join(home, 'bin', 'woof');
  writeFileSync(woof, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin', 'woof')}' "$@"\n`);
  chmodSync(woof, 0o755);
  const notes = join(home, 'notes');
  const env = {
    HOME: home,
    ZDOTDIR: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    NOTES: notes,
    TERM: 'xterm-256color',
    LC_ALL: 'C.UTF-8',
  };
  const typing = start('script', ['-qec', `stty cols 120 rows 50; ${command}`, '/dev/null'], {
    cwd,
    env,
    typing: true,
  });
  await expect.poll(() => existsSync(notes)).toBe(true);
  typing.child.stdin!.write(`${lines.map((line) => `${line}\t\u0014`).join('')}exit\r`);
  const { stdout: screen } = await typing.ended;
  const [, ...written] = readFileSync(notes, 'utf8').trimEnd().split('\n');
  return { lines: written.map((line) => line.trimEnd()), screen };
}
