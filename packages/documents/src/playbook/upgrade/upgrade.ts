/**
 * Upgrades a playbook of the older dialect (`eval`, `step.when`, `next` as a list) to v10.
 *
 * Only what must change is rewritten; everything else, including comments and order, stays the same byte for byte. What
 * v10 cannot express exactly is reported with its place and left for a person to decide.
 *
 * Invariants: a text without older constructs is returned unchanged; a result without errors has none left, has every
 * comment, and upgrading it again changes nothing.
 */
import type { Diagnostic } from '@woof/net';
import type { Document } from 'yaml';
import { pageProblem } from '../../page-problem.ts';
import { parseYaml } from '../../yaml/parse.ts';
import { parseJson } from '../../yaml/parse-json.ts';
import { commentsOf } from '../../yaml/settle.ts';
import { problems } from '../diagnostics.ts';
import { applyEdits, type Edit } from './pieces.ts';
import { quoteWords } from './quote-words.ts';
import { rewriteAdmission } from './rewrite-admission.ts';
import { rewriteEval } from './rewrite-eval.ts';
import { rewriteNext } from './rewrite-next.ts';
import { rewriteRules } from './rewrite-rules.ts';
import { rewriteWords } from './rewrite-words.ts';
import { survey } from './survey.ts';

export interface Upgrade {
  /** The text in v10, converted as far as it can be carried over exactly. Absent: it cannot be read. */
  text?: string;
  /** Whether it uses the older dialect at all. */
  isOlder: boolean;
  diagnostics: Diagnostic[];
}

type Pass = (text: string, root: unknown) => Edit[];

/** Inner constructs first, so that later passes move them in their final form. */
const PASSES: Pass[] = [rewriteWords, rewriteRules, rewriteEval, rewriteNext, rewriteAdmission];

export function upgradePlaybook(text: string): Upgrade {
  const page = pageProblem(text);
  if (page) return { isOlder: false, diagnostics: [page] };
  const parsed = parseYaml(text);
  const { source, document } = parsed;
  const unreadable = [
    ...parsed.diagnostics.filter(isError),
    ...parsed.unquoted.map(problems.unquotedTemplate),
  ];
  if (!document || unreadable.length > 0) return { isOlder: false, diagnostics: unreadable };
  const { isOlder, diagnostics } = survey(document.contents, source);
  if (!isOlder) return { text, isOlder, diagnostics: diagnostics.filter(isError) };
  const upgraded = diagnostics.some(isError) ? text : rewrite(text, document);
  if (upgraded !== undefined) return { text: upgraded, isOlder, diagnostics };
  return { text, isOlder, diagnostics: [...diagnostics, problems.upgradeText(source.span(0, 1))] };
}

const isError = ({ severity }: Diagnostic) => severity === 'error';

/**
 * Undefined if a comment would be lost, or if anything of the older dialect is left: better no text than a wrong one.
 */
function rewrite(text: string, document: Document.Parsed): string | undefined {
  let current = text;
  let root: unknown = document.contents;
  for (const pass of PASSES) {
    current = applyEdits(current, pass(current, root));
    const parsed = parseYaml(current);
    if (!parsed.document || parsed.diagnostics.some(isError)) return undefined;
    root = parsed.document.contents;
  }
  if (parseJson(text)) current = applyEdits(current, quoteWords(root));
  if (isCrlf(text)) current = current.replaceAll(/\r?\n/g, '\r\n');
  const left = survey(root, parseYaml(current).source);
  return left.isOlder || commentsOf(text) !== commentsOf(current) ? undefined : current;
}

/** Whether every line ends with CR LF: then new lines do too. */
const isCrlf = (text: string): boolean => text.includes('\r\n') && !/(?<!\r)\n/.test(text);
