/**
 * What a page of the guides holds: files, which are blocks after a sentence that names them and ends with a colon, and
 * transcripts, which are blocks of the language `console`.
 */
export interface Block {
  /** The text after the opening fence: a language, and for a document what it `needs` from outside. */
  info: string;
  text: string;
  /** The file that the sentence before the block names. */
  file?: string;
}

interface Exchange {
  command: string;
  /** Lines of the output, in order. The page may leave out others. */
  shown: string[];
}

const FENCED = /^(`{3,})([^\n`]*)\n([\s\S]*?)^\1$/gm;

export function blocksOf(page: string): Block[] {
  return [...page.matchAll(FENCED)].map((match) => {
    const [, , info = '', text = ''] = match;
    const file = fileNamedBy(page.slice(0, match.index));
    return { info, text, ...(file !== undefined && { file }) };
  });
}

function fileNamedBy(before: string): string | undefined {
  const sentence = before.trimEnd().split('\n\n').at(-1) ?? '';
  if (!sentence.endsWith(':')) return undefined;
  return [...sentence.matchAll(/`([\w-]+\.[\w.]+)`/g)].at(-1)?.[1];
}

/** `yaml refused` and `yaml older` are examples that are not valid documents. */
export const isDocument = ({ info, text }: Block) =>
  /^yaml($| needs )/.test(info) || (info === 'text' && text.startsWith('%WOOFNB'));

export function exchangesOf({ text }: Block): Exchange[] {
  const [, ...parts] = text.split(/^\$ /m);
  return parts.map((part) => {
    const [command = '', ...output] = part.trimEnd().split('\n');
    return { command, shown: output.map(steady).filter((line) => line !== '' && line !== '…') };
  });
}

/** Lines of a transcript that the program did not print, in this order. */
export function missingFrom(printed: string, { shown }: Exchange): string[] {
  const lines = printed.split('\n').map(steady);
  let from = 0;
  return shown.filter((line) => {
    const at = lines.indexOf(line, from);
    if (at >= 0) from = at + 1;
    return at < 0;
  });
}

/** A line without what differs between runs: ids, times, sizes and the spaces that align them. */
const steady = (line: string) =>
  line
    .trimEnd()
    .replaceAll(/\b\d{8}-\d{6}-[a-z0-9]{8}\b/g, 'RUN')
    .replaceAll(/\b[\d.]+ m?s\b/g, 'TIME')
    .replaceAll(/\b\d+ KB\b/g, 'SIZE')
    .replaceAll(/ {2,}/g, '  ');

/** Every command of Woof that a page gives, in blocks and in the text, as words. */
export function commandsOf(page: string): string[][] {
  const given = blocksOf(page).filter(({ info }) => info === '' || info === 'console');
  const spans = [...page.replaceAll(FENCED, '').matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
  const lines = [...given.flatMap(({ text }) => text.split('\n')), ...spans];
  return lines.flatMap((line) =>
    [...line.matchAll(/(?:^|[$;|&] |[A-Z_]=\S+ )woof (\S[^;|&#]*)/g)].map(([, rest]) =>
      rest!.trim().split(/\s+/),
    ),
  );
}
