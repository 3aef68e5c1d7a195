/**
 * Finds in what a cell said that the operating system refused it something, and names the policy behind that.
 *
 * For languages without a check of their own: there a denial shows only in the words of programs and libraries.
 */
import type { SandboxPolicy } from '@woof/sandbox';
import type { Stream } from './output-order.ts';

interface Denial {
  key: keyof SandboxPolicy;
  what: string;
  sidefx: string;
  words: RegExp;
}

const DENIALS: readonly Denial[] = [
  {
    key: 'allow_network',
    what: 'network access',
    sidefx: 'net',
    words:
      /could not resolve|couldn't resolve|unable to resolve|cannot resolve|name resolution|name or service not known|network is unreachable|connection refused|couldn't connect|failed to connect|\b(?:ENETUNREACH|ECONNREFUSED|EAI_AGAIN|ENOTFOUND)\b/i,
  },
  {
    key: 'allow_shell',
    what: 'starting another program',
    sidefx: 'shell',
    words:
      /error in running command|command not found|cannot popen|could not execute|\bENOENT\b.*spawn|spawn .*ENOENT/i,
  },
  {
    key: 'allow_files',
    what: 'access to the files of the notebook',
    sidefx: 'fs',
    words: /no such file or directory|read-only file system|permission denied|\b(?:EROFS|ENOENT|EACCES)\b/i,
  },
];

/** What programs say last is what made them fail. */
const KEPT_BYTES = 8192;

export class DeniedOutput {
  readonly #policy: SandboxPolicy;
  #tail = '';

  constructor(policy: SandboxPolicy) {
    this.#policy = policy;
  }

  see(stream: Stream, bytes: Buffer): void {
    if (stream === 'stderr') this.#tail = (this.#tail + bytes.toString('latin1')).slice(-KEPT_BYTES);
  }

  /** Undefined if nothing was refused; `more` is what else the cell said. */
  denial(more = ''): string | undefined {
    return this.#sentences(`${this.#tail}\n${more}`, DENIALS);
  }

  /** Of a cell that succeeded all the same. A file that is not there is too common to speak of. */
  denialIgnored(): string | undefined {
    return this.#sentences(
      this.#tail,
      DENIALS.filter(({ key }) => key !== 'allow_files'),
    );
  }

  #sentences(said: string, denials: readonly Denial[]): string | undefined {
    const found = denials.filter(({ key, words }) => !this.#policy[key] && words.test(said));
    return found.length === 0 ? undefined : found.map(sentence).join('; ');
  }
}

function sentence({ key, what, sidefx }: Denial): string {
  return (
    `${what} is not allowed in this cell: add sidefx=${sidefx} to the cell, and set io_policy.${key}: true in the notebook's header ` +
    `(or run with --allow ${key.replace('allow_', '')})`
  );
}
