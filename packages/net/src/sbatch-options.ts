/**
 * Options that Woof itself passes to sbatch, and options that would make it do anything but submit a script and return.
 */
const OURS = [
  'array',
  'chdir',
  'clusters',
  'comment',
  'error',
  'export',
  'help',
  'job-name',
  'no-requeue',
  'open-mode',
  'output',
  'parsable',
  'requeue',
  'test-only',
  'usage',
  'version',
  'wait',
  'wrap',
];
/** The same as single letters, also after others that take no value. */
const OURS_SHORT = /^-[HIOQsuvX]*[aDehJMoVW]/;

/** sbatch accepts a long option by any unambiguous prefix. */
export function isOurSbatchOption(word: string): boolean {
  const name = /^--([^=]+)/.exec(word)?.[1];
  return name === undefined ? OURS_SHORT.test(word) : OURS.some((ours) => ours.startsWith(name));
}
