/** The program name that rules use: without directory and `.exe`, in lower case, under its GNU name. */
export function baseName(program: string): string {
  const name = program.split(/[/\\]/).at(-1) ?? '';
  const bare = name.toLowerCase().replace(/\.(exe|com|bat|cmd)$/, '');
  if (GNU.has(bare)) return bare.slice(1);
  return LOADER.test(bare) ? 'ld.so' : bare;
}

/** Names of GNU tools on systems that have their own versions. */
const GNU = new Set(
  `gchgrp gchmod gchown gchroot gcp gdd genv gfind ginstall gln gmake gmv gnice gnohup grm grmdir gsed gshred gsplit gsort
  gstdbuf gtar gtimeout gtruncate gunlink gxargs`.split(/\s+/),
);
/** A program can be run by naming the dynamic loader first. */
const LOADER = /^(ld(-linux|-musl)?[\w.-]*\.so(\.\d+)?|ld64?\.so(\.\d+)?)$/;

/** Why a path may lead out of the working directory, or is the whole of it. Undefined if it is safe. */
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
