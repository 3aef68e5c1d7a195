/** The name that rules speak of: without folder and `.exe`, in lower case, as GNU calls it. */
export function baseName(program: string): string {
  const name = program.split(/[/\\]/).at(-1) ?? '';
  const bare = name.toLowerCase().replace(/\.(exe|com|bat|cmd)$/, '');
  if (GNU.has(bare)) return bare.slice(1);
  return LOADER.test(bare) ? 'ld.so' : bare;
}

/** What GNU's tools are called where the system has others of its own. */
const GNU = new Set(
  `gchgrp gchmod gchown gchroot gcp gdd genv gfind ginstall gln gmake gmv gnice gnohup grm grmdir gsed gshred gsplit gsort
  gstdbuf gtar gtimeout gtruncate gunlink gxargs`.split(/\s+/),
);
/** Programs can be run by naming the loader first. */
const LOADER = /^(ld(-linux|-musl)?[\w.-]*\.so(\.\d+)?|ld64?\.so(\.\d+)?)$/;

/** Why a path may lead out of the working directory, or is all of it; undefined where it is safe. */
export function pathFault(path: string, inShell: boolean, whole: 'refused' | 'allowed'): string | undefined {
  if (path === '') return 'an empty path';
  if (path.startsWith('\0')) return 'paths that are not in the command';
  if (path.startsWith('/') || /^[a-z]:|^\\/i.test(path)) return `the absolute path ${shown(path)}`;
  if (path.split(/[/\\]/).includes('..')) return `${shown(path)}, which leads to a parent directory`;
  if (inShell && path.startsWith('~')) return `${shown(path)}, which is outside the working directory`;
  if (inShell && /^[$`]|\{(.*,)?([/~]|\.\.)/.test(path)) return `${shown(path)}, which can be any path`;
  const bare = path
    .replaceAll(/\/+(\.?\/+)*/g, '/')
    .replace(/^\.\//, '')
    .replace(/\/\.?$/, '');
  const all = bare === '.' || bare === '' || (inShell && /^\.?\*+$/.test(bare));
  if (all && whole === 'refused') return `${shown(path)}, the working directory itself`;
  return undefined;
}

export function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}...` : text);
}
