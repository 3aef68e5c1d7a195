/** Where in the source a template inside a scalar is wrong. */
import type { TemplateError } from '@woof/expr';
import { sourceEnd, sourceOffset } from './scalar-source.ts';
import type { Source, Span } from './source.ts';
import type { ScalarNode } from './tree.ts';

export function errorSpan(source: Source, node: ScalarNode, error: TemplateError): Span {
  const value = String(node.value);
  const index = indexOf(value, error.line, error.column);
  const last = Math.max(index, Math.min(value.length, index + error.expression.length) - 1);
  const { text } = source;
  return source.span(sourceOffset(node, text, index), sourceEnd(node, text, last));
}

function indexOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let n = 1; n < line; n++) start = text.indexOf('\n', start) + 1;
  return Math.min(Math.max(0, text.length - 1), start + column - 1);
}
