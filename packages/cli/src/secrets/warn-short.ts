const told = new Set<string>();

/** Hiding every "abc" in results would hide too much. */
export function warnShort(name: string): void {
  if (told.has(name)) return;
  told.add(name);
  process.stderr.write(
    `warning: ${name} of the keychain has fewer than 6 characters, so Woof does not hide it in the output of tasks\n`,
  );
}
