/**
 * Detects in a cell's output that the operating system refused something, and names the policy behind it.
 *
 * For languages that do not check policies themselves: only the messages of programs and libraries show a denial there.
 */
import type { SandboxPolicy } from '@woof/sandbox';
import type { Denials } from './cell-denials.ts';
import type { Stream } from './output-order.ts';

interface Denial {
  key: 'files' | 'network' | 'shell';
  what: string;
  words: RegExp;
  /** Words that are also common without a denial. */
  doubtful?: RegExp;
}

const DENIALS: readonly Denial[] = [
  {
    key: 'network',
    what: 'network access',
    words:
      /could not resolve|couldn't resolve|unable to resolve|cannot resolve|name resolution|name or service not known|network is unreachable|connection refused|couldn't connect|failed to connect|\b(?:ENETUNREACH|ECONNREFUSED|EAI_AGAIN|ENOTFOUND)\b/i,
  },
  {
    key: 'shell',
    what: 'starting another program',
    words:
      /error in running command|command not found|shell not found|command was not found|cannot popen|could not execute|\bENOENT\b.*spawn|spawn .*ENOENT/i,
  },
  {
    key: 'files',
    what: 'access to the files of the notebook',
    words: /read-only file system|\bEROFS\b/i,
    doubtful: /no such file or directory|permission denied|\b(?:ENOENT|EACCES)\b/i,
  },
];

/** Programs print the cause of a failure last. */
const KEPT_BYTES = 8192;

export class DeniedOutput {
  readonly #policy: SandboxPolicy;
  readonly #denials: Denials;
  #tail = '';

  constructor(policy: SandboxPolicy, denials: Denials) {
    this.#policy = policy;
    this.#denials = denials;
  }

  see(stream: Stream, bytes: Buffer): void {
    if (stream === 'stderr') this.#tail = (this.#tail + bytes.toString('latin1')).slice(-KEPT_BYTES);
  }

  /** Undefined if nothing was refused. `more` is other text from the cell. */
  denial(more: string): string | undefined {
    const said = `${this.#tail}\n${more}`;
    return this.#sentences(({ words, doubtful }) => words.test(said) || (doubtful?.test(said) ?? false));
  }

  /** For a cell that succeeded nevertheless. A missing file is too common to mention. */
  denialIgnored(): string | undefined {
    return this.#sentences(({ words }) => words.test(this.#tail));
  }

  #sentences(isSaid: (denial: Denial) => boolean): string | undefined {
    const found = DENIALS.filter((denial) => !this.#policy[`allow_${denial.key}`] && isSaid(denial));
    if (found.length === 0) return undefined;
    return found.map(({ key, what }) => `${what} ${this.#denials[key]}`).join('; ');
  }
}
