/** `--allow files,network,shell`: what the person at the terminal grants to the code of a document. */
import { UserError } from './user-error.ts';

export const GRANTS = {
  doc: 'allow the code of the document to use files, network or shell (comma-separated)',
  value: 'LIST',
} as const;

export function grantsOf(allow: string | undefined): Record<string, boolean> | undefined {
  if (allow === undefined) return undefined;
  const words = allow.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !['files', 'network', 'shell'].includes(word));
  if (unknown !== undefined) {
    throw new UserError(
      `--allow ${allow}: there is no permission "${unknown}"`,
      'use files, network or shell',
      2,
    );
  }
  return Object.fromEntries(words.map((word) => [`allow_${word}`, true]));
}
