/** What no bundle takes along: what can be made again, and what holds secrets or data of one machine. */
const IGNORED = [
  ...['node_modules', '.git', 'dist', 'build', '.next', '.svelte-kit', '.turbo', '.cache', '*.workbook.html'],
  ...['.DS_Store', '.vscode', '.idea', '.env', '.env.*', 'secrets.json', '*.bundle.json', '*.bundle.json.gz'],
  // Where Woof keeps runs and sealed secrets.
  '.woof',
];

/** Of a file or a folder, at any depth. */
export function isIgnored(name: string): boolean {
  return IGNORED.some((pattern) => {
    const star = pattern.indexOf('*');
    if (star < 0) return name === pattern;
    const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
    return name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after);
  });
}
