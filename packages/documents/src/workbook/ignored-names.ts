/** What no bundle includes: what can be rebuilt, and what contains secrets or data of one machine. */
const IGNORED = [
  ...['node_modules', '.git', 'dist', 'build', '.next', '.svelte-kit', '.turbo', '.cache', '*.workbook.html'],
  ...['.DS_Store', '.vscode', '.idea', '.env', '.env.*', 'secrets.json', '*.bundle.json', '*.bundle.json.gz'],
  // Where Woof keeps runs and sealed secrets.
  '.woof',
];

/** Applies to a file or a folder, at any depth. */
export function isIgnored(name: string): boolean {
  return IGNORED.some((pattern) => {
    const star = pattern.indexOf('*');
    if (star < 0) return name === pattern;
    const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
    return name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after);
  });
}
