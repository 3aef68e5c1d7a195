import { tokensOf } from './tokens.ts';

const NAMES = new Set(['require', 'process', 'Buffer', '__dirname', '__filename']);

/** The first name in a cell that exists only in Node; `import` stands for any module. */
export function nodeNameIn(code: string): string | undefined {
  const tokens = tokensOf(code);
  const found = tokens.find(({ type, text }, at) => {
    const [before, after] = [tokens[at - 1]?.text, tokens[at + 1]?.text];
    if (type !== 'word' || before === '.' || before === '?.' || after === ':') return false;
    return NAMES.has(text) || (text === 'import' && after !== '.');
  });
  return found?.text;
}
