/**
 * `from __future__ import …` counts only at the beginning of a text. For a cell that is its own beginning; in a script
 * of several cells these imports must come before everything else.
 */
const BEFORE = /(?:[ \t]*(?:#[^\n]*)?\n|("""|''')[\s\S]*?\1[ \t]*\n?)*/y;
const STATEMENT = /from[ \t]+__future__[ \t]+import[ \t]*(?:\([^)]*\)|[^\n;#(]+)(?:[ \t]*;)?[ \t]*/y;

export interface FutureImports {
  statements: string[];
  /** The body with each of them commented out. */
  body: string;
}

export function splitFutureImports(body: string): FutureImports {
  const statements: string[] = [];
  let done = '';
  for (let at = 0; ; ) {
    const before = match(BEFORE, body, at);
    const statement = match(STATEMENT, body, at + before.length);
    if (statement === '') return { statements, body: done + body.slice(at) };
    statements.push(statement.trim().replace(/;$/, '').trimEnd());
    done += before + commented(statement);
    at += before.length + statement.length;
    // Code after a semicolon moves to a line of its own.
    if (at < body.length && body[at] !== '\n' && body[at] !== '#') done += '\n';
  }
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function commented(statement: string): string {
  return `# ${statement.trimEnd().replaceAll('\n', '\n# ')}`;
}
