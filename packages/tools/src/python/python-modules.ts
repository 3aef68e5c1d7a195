/**
 * Which modules of the standard library a task's code imports. A warm interpreter loads them for later tasks.
 *
 * Only names in this list ever reach the zygote. None of them keeps state across a fork that a task could notice:
 * `random`, `tempfile`, `uuid` and `ssl` start afresh in the child.
 */
const STANDARD = new Set(
  `asyncio base64 bisect calendar collections concurrent.futures contextlib copy csv dataclasses datetime decimal enum
  fractions functools glob gzip hashlib heapq hmac html http.client inspect io itertools logging math operator pathlib
  random secrets shutil socket sqlite3 ssl statistics string subprocess tempfile textwrap threading time typing
  unicodedata urllib.error urllib.parse urllib.request uuid xml.etree.ElementTree zipfile zlib zoneinfo`.split(
    /\s+/,
  ),
);

export function standardModules(code: string): string[] {
  const found = new Set<string>();
  for (const [, from, list] of code.matchAll(/^\s*(?:from\s+([\w.]+)\s+import|import\s+([\w., ]+))/gm)) {
    for (const name of from ? [from] : (list ?? '').split(',')) {
      const module = name.trim().split(/\s/)[0] ?? '';
      if (STANDARD.has(module)) found.add(module);
    }
  }
  if (/\basync\s+def\b/.test(code)) found.add('asyncio');
  return [...found];
}
