/** OpenQASM 2.0 as tokens with their lines. */

export interface Token {
  text: string;
  line: number;
}

/** What is wrong with a program, and where. */
export class QasmFault extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(`line ${line}: ${message}`);
  }
}

const TOKEN =
  /\s+|\/\/[^\n]*|"[^"\n]*"|->|==|[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[-+*/^()[\]{};,]/y;

export function qasmTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const [found] = TOKEN.exec(text) ?? [];
    if (found === undefined) throw new QasmFault(`"${text[at]}" is not valid here`, line);
    if (!/^(\s|\/\/)/.test(found)) tokens.push({ text: found, line });
    line += found.split('\n').length - 1;
    at += found.length;
  }
  return tokens;
}
