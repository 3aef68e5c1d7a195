/**
 * Text to tree. Owns: every limit for a text (size, depth, aliases) and the diagnostics of the YAML layer.
 * Does not own: what the tree means.
 *
 * Invariants: never throws; the depth is checked while tokens are read, before anything recurses over them; a tree is
 * returned only if there is no error.
 */
import type { Diagnostic } from '@woof/net';
import { Composer, type CST, type Document, Lexer, Parser, type YAMLError } from 'yaml';
import { yamlProblems } from './diagnostics.ts';
import { MAX_CHARACTERS, MAX_DEPTH } from './limits.ts';
import { readTree } from './read-tree.ts';
import { Source, type Span } from './source.ts';
import type { Node } from './tree.ts';

export interface YamlText {
  source: Source;
  root?: Node;
  /** The library's own document, with comments and styles, for formatting. */
  document?: Document.Parsed;
  /** Each `{{` that YAML reads as a map because it is not quoted. */
  unquoted: Span[];
  diagnostics: Diagnostic[];
}

/** `firstLine`: see `Source`. */
export function parseYaml(text: string, firstLine = 1): YamlText {
  const source = new Source(text.length > MAX_CHARACTERS ? text.slice(0, 1000) : text, firstLine);
  const refused = refuseText(text, source);
  if (refused) return { source, unquoted: [], diagnostics: [refused] };
  const { tokens, tooDeepAt } = readTokens(text);
  if (tooDeepAt !== undefined) {
    const at = source.span(tooDeepAt, tooDeepAt + 1);
    return { source, unquoted: [], diagnostics: [yamlProblems.tooDeep(at, MAX_DEPTH)] };
  }
  return composeTree(tokens, source);
}

function refuseText(text: string, source: Source): Diagnostic | undefined {
  if (text.length > MAX_CHARACTERS)
    return yamlProblems.tooLarge(source.span(0, 1), text.length, MAX_CHARACTERS);
  // The lexer of `yaml` uses control characters as its own markers, so none may come from outside.
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) {
      return yamlProblems.controlCharacter(source.span(at, at + 1), code);
    }
  }
  return undefined;
}

function readTokens(text: string): { tokens: CST.Token[]; tooDeepAt?: number } {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > MAX_DEPTH) return { tokens, tooDeepAt: parser.offset };
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens };
}

function composeTree(tokens: CST.Token[], source: Source): YamlText {
  const unquoted = findUnquoted(tokens, source);
  // `readTree` checks that keys are unique: the library compares all pairs of keys.
  const composer = new Composer({
    uniqueKeys: false,
    schema: 'core',
    resolveKnownTags: false,
    logLevel: 'silent',
  });
  const documents = [...composer.compose(tokens, true, source.text.length)] as Document.Parsed[];
  const document = documents[0]!;
  const diagnostics = documents.flatMap((each) => [
    ...each.errors.map((problem) => describe(problem, source)),
    ...each.warnings.map((problem) => describe(problem, source)),
  ]);
  const second = documents[1];
  if (second) {
    const at = second.range[0];
    diagnostics.push(yamlProblems.multipleDocuments(source.span(at, at + 1)));
  }
  if (unquoted.length > 0) return { source, unquoted, diagnostics: besides(diagnostics, unquoted) };
  if (diagnostics.length > 0) return { source, unquoted, diagnostics };
  const read = readTree(document.contents, source);
  return {
    source,
    document,
    unquoted,
    diagnostics: read.diagnostics,
    ...(read.root ? { root: read.root } : {}),
  };
}

function describe(problem: YAMLError, source: Source): Diagnostic {
  const at = source.span(problem.pos[0], problem.pos[1]);
  if (problem.code === 'TAB_AS_INDENT') return yamlProblems.tabIndent(at);
  const written = source.text.slice(...problem.pos);
  if (problem.code === 'TAG_RESOLVE_FAILED' && written.startsWith('!'))
    return yamlProblems.unknownTag(at, written);
  return yamlProblems.syntax(at, problem.message);
}

/** Errors that an unquoted template causes on its own line only repeat it. */
function besides(diagnostics: Diagnostic[], unquoted: Span[]): Diagnostic[] {
  const lines = new Set(unquoted.map((at) => at.line));
  return diagnostics.filter((each) => !lines.has(each.line));
}

function findUnquoted(tokens: CST.Token[], source: Source): Span[] {
  const found: Span[] = [];
  const stack: (CST.Token | null | undefined)[] = [...tokens].reverse();
  while (stack.length > 0) {
    const token = stack.pop();
    if (!token) continue;
    if (token.type === 'flow-collection' && source.text.startsWith('{{', token.offset)) {
      found.push(source.span(token.offset, endOfTemplate(source.text, token.offset)));
    } else if (token.type === 'document') stack.push(token.value);
    else if ('items' in token) {
      for (let i = token.items.length - 1; i >= 0; i--)
        stack.push(token.items[i]!.value, token.items[i]!.key);
    }
  }
  return found;
}

function endOfTemplate(text: string, start: number): number {
  const lineEnd = text.indexOf('\n', start);
  const line = text.slice(start, lineEnd === -1 ? text.length : lineEnd);
  const close = line.indexOf('}}');
  return start + (close === -1 ? line.trimEnd().length : close + 2);
}
