/** Values that must be found nowhere, and the search for them in every form that a program may give them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/** With characters that each encoding treats differently. */
export const CANARIES = {
  bearer: 'cAnary-bearer/9f+2="x',
  password: 'cAnary pass&word%41é',
  environment: 'cAnary-environment-7c1d',
  file: 'cAnary-file-line-one-4242\ncAnary-file-line-two-4343',
  client: 'cAnary-client-secret-55',
  vault: 'cAnary-vault-88',
};

/** In the log legitimately: shows that the search finds what is there. */
export const CONTROL = 'cOntrol-workload-31337';

export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const inner = (before: number) => {
    const text = Buffer.concat([Buffer.alloc(before, 58), bytes]).toString('base64');
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  };
  const url = encodeURIComponent(value);
  return [
    value,
    ...value.split('\n'),
    JSON.stringify(value).slice(1, -1),
    url,
    url.replaceAll('%20', '+'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    inner(0),
    inner(1),
    inner(2),
  ];
}

/** The encoded forms of the values that occur in a text. */
export function findIn(text: string, values: readonly string[]): string[] {
  return values.flatMap((value) => formsOf(value).filter((form) => text.includes(form)));
}

/** Files under a folder that hold any of the values. */
export function grepFolder(
  folder: string,
  values: readonly string[],
  except: readonly string[] = [],
): string[] {
  const needles = [...new Set(values.flatMap(formsOf))].map((form) => Buffer.from(form));
  return filesOf(folder)
    .filter((file) => !except.includes(relative(folder, file)))
    .filter((file) => {
      const bytes = readFileSync(file);
      return needles.some((needle) => bytes.includes(needle));
    })
    .map((file) => relative(folder, file));
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesOf(path);
    return entry.isFile() && statSync(path).size > 0 ? [path] : [];
  });
}

/** The command lines of all processes, once. */
export function processList(): { pid: number; line: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return { pid: Number(name), line: line.trim() };
      } catch {
        return { pid: Number(name), line: '' };
      }
    });
}
