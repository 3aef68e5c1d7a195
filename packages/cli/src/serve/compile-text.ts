/** A document's text to a plan, as a server compiles it: with the tools of this program, and from no folder. */
import { compileNotebook, readDocument } from '@woof/documents';
import type { Compiled } from '@woof/server';
import { isRight } from '../read-plan.ts';
import { toolKinds } from '../tool-kinds.ts';

export function compileText(text: string, file: string | undefined): Compiled {
  const read = readDocument(text, { ...(file === undefined ? {} : { file }), kinds: toolKinds() });
  const { kind, diagnostics, notebook } = read;
  if (!isRight(read)) return { kind, diagnostics };
  const plan = notebook ? compileNotebook(notebook, {}) : read.plan!;
  return { kind, diagnostics, plan };
}
