/** The folder that a page names for its sources, if that is a plain name and not a path elsewhere. */
import { pathProblems, type SourceBundle } from '@woof/documents/workbook';
import { UserError } from './user-error.ts';

export function folderOfBundle({ rootName }: SourceBundle, html: string, verb: string): string {
  if (!rootName.includes('/') && pathProblems([rootName]).length === 0) return rootName;
  const shown = JSON.stringify(rootName.slice(0, 80));
  throw new UserError(
    `the directory name stored in ${html} cannot be used: ${shown}`,
    `name the directory: woof ${verb} ${html} DIR`,
    2,
  );
}
