/**
 * What is wrong with a text that JSON.parse reads: it has the same limits as YAML, and so do its numbers.
 *
 * Nothing recurses, because the depth of the text is not known in advance. Nor does a pattern match a whole string,
 * because one of several megabytes would exhaust the stack.
 */
import type { Diagnostic } from '@woof/net';
import { yamlProblems } from './diagnostics.ts';
import { MAX_DEPTH } from './limits.ts';
import { numberProblem } from './number-problem.ts';
import type { Span } from './source.ts';

export function checkJson(text: string, span: (start: number, end: number) => Span): Diagnostic[] {
  const found: Diagnostic[] = [];
  const tokens = /["[\]{}]|-?\d[\d.eE+-]*/g;
  let depth = 0;
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const token = match[0];
    const at = () => span(match!.index, match!.index + token.length);
    if (token === '"') tokens.lastIndex = endOfString(text, tokens.lastIndex);
    else if (token === ']' || token === '}') depth -= 1;
    else if (token === '[' || token === '{') {
      depth += 1;
      if (depth > MAX_DEPTH) return [...found, yamlProblems.tooDeep(at(), MAX_DEPTH)];
    } else {
      const problem = isShort(token) ? undefined : numberProblem(at(), token, Number(token));
      if (problem) found.push(problem);
    }
  }
  return found;
}

function endOfString(text: string, start: number): number {
  const ends = /"|\\./g;
  ends.lastIndex = start;
  for (let match = ends.exec(text); match; match = ends.exec(text)) if (match[0] === '"') break;
  return ends.lastIndex;
}

/** Like most numbers; such a number loses nothing. */
const isShort = (token: string) => token.length < 16 && !/[eE]/.test(token);
