/** A policy that the page sets for itself must allow what is now inlined, or none of it would run. */
import {
  attributeOf,
  type Element,
  isHtmlElement,
  placeOf,
  workbookProblems,
} from '@woof/documents/workbook';
import type { FolderFiles } from './folder-files.ts';

const NEEDS = [
  ['script-src', "'unsafe-inline'", 'scripts'],
  ['style-src', "'unsafe-inline'", 'styles'],
  ['img-src', 'data:', 'images'],
  ['font-src', 'data:', 'fonts'],
] as const;

export function refusePolicy(files: FolderFiles, element: Element): void {
  if (!isHtmlElement(element, 'meta')) return;
  if (attributeOf(element, 'http-equiv')?.trim().toLowerCase() !== 'content-security-policy') return;
  const directives = new Map(
    (attributeOf(element, 'content') ?? '').split(';').map((directive) => {
      const [name = '', ...sources] = directive.trim().toLowerCase().split(/\s+/);
      return [name, sources] as const;
    }),
  );
  for (const [name, source, what] of NEEDS) {
    const allowed = directives.get(name) ?? directives.get('default-src');
    if (allowed === undefined || allowed.includes(source)) continue;
    const problem = workbookProblems.cannotInline(
      placeOf(element),
      `the policy of the page forbids ${what} that the page contains`,
      `add ${source} to ${name}, or remove the policy, because hosts set their own`,
    );
    files.refuse('index.html', problem);
  }
}
