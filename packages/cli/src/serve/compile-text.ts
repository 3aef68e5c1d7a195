/** A document's text to a plan, as a server compiles it: with the tools of this program, and from no folder. */
import { compileNotebook, readDocument } from '@woof/documents';
import type { Compiled } from '@woof/server';
import { toolSchemas } from '@woof/tools';
import { isRight } from '../read-plan.ts';

export function compileText(text: string, file: string | undefined): Compiled {
  const read = readDocument(text, { ...(file === undefined ? {} : { file }), kinds: toolSchemas });
  const { kind, diagnostics, notebook } = read;
  if (!isRight(read)) return { kind, diagnostics };
  const plan = notebook ? compileNotebook(notebook, {}) : read.plan!;
  return { kind, diagnostics, plan };
}
