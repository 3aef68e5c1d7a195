/**
 * What is wrong with a text that JSON.parse reads: it is bounded as YAML is, and so are its numbers.
 *
 * Nothing recurses, for how deep the text goes is not known before; nor does a pattern match a whole string, for one of
 * some megabytes would exhaust the stack.
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

/** As most numbers are: such a one loses nothing. */
const isShort = (token: string) => token.length < 16 && !/[eE]/.test(token);
