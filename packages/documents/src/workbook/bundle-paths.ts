/**
 * Which paths a bundle may contain: those that every system writes below the chosen folder, each to a file of its own.
 */

export interface PathProblem {
  path: string;
  why: string;
}

const PATH_LENGTH = 1024;
const NAME_BYTES = 255;

export function pathProblems(paths: readonly string[]): PathProblem[] {
  const problems = paths.flatMap((path) => {
    const why = problemOf(path);
    return why === undefined ? [] : [{ path, why }];
  });
  return [...problems, ...collisions(paths)];
}

function problemOf(path: string): string | undefined {
  if (path === '') return 'it is empty';
  if (path.length > PATH_LENGTH) return `it is longer than ${PATH_LENGTH} characters`;
  if (LONE_SURROGATE.test(path)) return 'it is not valid Unicode';
  if (CONTROL.test(path)) return 'it contains control characters';
  if (path.includes('\\')) return 'it contains a backslash';
  if (path.startsWith('/')) return 'it is absolute';
  if (/^[a-z]:/i.test(path)) return 'it names a drive';
  const parts = path.split('/');
  if (parts.includes('..')) return 'it leads out of the folder';
  if (parts.includes('.') || parts.includes('')) return 'it has an empty part';
  for (const part of parts) {
    const why = problemOfName(part);
    if (why !== undefined) return why;
  }
  return undefined;
}

const LONE_SURROGATE = /\p{Cs}/u;
const CONTROL = /\p{Cc}/u;
const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;

function problemOfName(name: string): string | undefined {
  if (RESERVED.test(name)) return `"${name}" is a name that Windows reserves`;
  if (/[. ]$/.test(name)) return `"${name}" ends with a dot or a space`;
  if (/[<>:"|?*]/.test(name)) return `"${name}" contains a character that Windows does not allow`;
  if (new TextEncoder().encode(name).length > NAME_BYTES) return `a part is longer than ${NAME_BYTES} bytes`;
  return undefined;
}

/** Two files at one place, including on systems that ignore case or Unicode form; and a file where a folder is. */
function collisions(paths: readonly string[]): PathProblem[] {
  const files = new Map<string, string>();
  const problems: PathProblem[] = [];
  for (const path of paths) {
    const other = files.get(folded(path));
    if (other === undefined) files.set(folded(path), path);
    else
      problems.push({
        path,
        why: other === path ? 'it occurs twice' : `it collides with "${other}"`,
      });
  }
  const folders = new Map<string, string>();
  for (const path of paths) {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at);
      const file = files.get(folded(folder));
      if (file !== undefined) problems.push({ path, why: `"${file}" is a file` });
      const other = folders.get(folded(folder));
      if (other !== undefined && other !== folder)
        problems.push({ path, why: `its folder collides with "${other}"` });
      folders.set(folded(folder), folder);
    }
  }
  return problems;
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase().normalize('NFC');
}
