/** Which permissions a program needs, judged by the names that it uses outside strings and comments. */
import { PERMISSIONS, type Permission, permissionTraits } from './permissions.ts';
import { contextsOf } from './script-contexts.ts';

export interface CodeUse {
  permission: Permission;
  /** The name in the code. */
  what: string;
  offset: number;
}

/** In the order of the text, each name at each place. */
export function codeUses(code: string, isModule = false): CodeUse[] {
  const found = PERMISSIONS.flatMap((permission) =>
    [...code.matchAll(permissionTraits(permission).uses)].map(({ 0: match, index }) => {
      return { permission, what: match.replaceAll(/\s+|\(.*$/g, ''), offset: index };
    }),
  );
  found.sort((a, b) => a.offset - b.offset);
  const contexts = contextsOf(
    code,
    found.map(({ offset }) => offset),
    isModule,
  );
  return found.filter((_, at) => contexts[at] === 'code');
}

/** What modules import by a literal name: `import … from '…'`, `export … from '…'`, `import('…')`. */
export function importsOf(code: string): { specifier: string; offset: number }[] {
  const pattern =
    /\b(?:import|export)\s{0,40}(?:[\w$\s{},*]{1,500}?\bfrom\s{0,40})?["']([^"'\n]+)["']|\bimport\s{0,40}\(\s{0,40}["'`]([^"'`\n$]+)["'`]\s{0,40}[,)]/g;
  const found = [...code.matchAll(pattern)].map(({ 1: fixed, 2: dynamic, index }) => {
    return { specifier: fixed ?? dynamic ?? '', offset: index };
  });
  const contexts = contextsOf(
    code,
    found.map(({ offset }) => offset),
    true,
  );
  return found.filter((_, at) => contexts[at] === 'code');
}
