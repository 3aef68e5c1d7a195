import type { Candidate } from '../completion/complete.ts';
import { SHELLS } from '../completion/scripts.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';
import type { VerbEntry } from '../verbs.ts';

/** It completes words of every verb, including itself. */
export function completionOf(verbs: Record<string, VerbEntry>) {
  return defineVerb({
    args: ['SHELL', '[WORD...]'],
    options: { json: { doc: 'print {"shell", "script"}, or a list of words' } },
    instead: 'SHELL is bash, zsh or fish',
    about:
      'SHELL is bash, zsh or fish. The script calls "woof completion words -- WORD..." to complete commands, options, files, runs, steps and cells.',
    examples: [
      ['source <(woof completion bash)', 'add this line to ~/.bashrc'],
      ['source <(woof completion zsh)', 'add this line to ~/.zshrc, after compinit'],
      ['woof completion fish | source', 'add this line to ~/.config/fish/config.fish'],
    ],
    async run([shell = '', ...words], { json }) {
      if (shell === 'words') return completeWords(words, verbs, json);
      if (!isShell(shell))
        throw new UserError(
          `there is no completion for "${shell}"`,
          `use one of ${Object.keys(SHELLS).join(', ')}`,
          2,
        );
      if (words.length > 0)
        throw new UserError(`unexpected argument "${words[0]}"`, `use: woof completion ${shell}`, 2);
      const script = SHELLS[shell];
      process.stdout.write(json ? `${JSON.stringify({ shell, script })}\n` : script);
      return 0;
    },
  });
}

const isShell = (word: string): word is keyof typeof SHELLS => Object.hasOwn(SHELLS, word);

async function completeWords(
  words: readonly string[],
  verbs: Record<string, VerbEntry>,
  json: true | undefined,
): Promise<number> {
  const { complete } = await import('../completion/complete.ts');
  const { machineWorld } = await import('../completion/machine-world.ts');
  const found = await complete(words, machineWorld(verbs));
  const text = json ? `${JSON.stringify(found.map(({ word }) => word))}\n` : found.map(lineOf).join('');
  process.stdout.write(text);
  return 0;
}

/** What a shell shows beside the word follows a tab. */
const lineOf = ({ word, about = '' }: Candidate) => `${word}\t${about.replaceAll(/\p{Cc}+/gu, ' ')}\n`;
