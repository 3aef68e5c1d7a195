/** What Woof says to sbatch itself, and what would make it do something else than submit a script and come back. */
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
/** The same as single letters, also behind others that take no value. */
const OURS_SHORT = /^-[HIOQsuvX]*[aDehJMoVW]/;

/** sbatch takes a long option by any beginning that only one has. */
export function isOurSbatchOption(word: string): boolean {
  const name = /^--([^=]+)/.exec(word)?.[1];
  return name === undefined ? OURS_SHORT.test(word) : OURS.some((ours) => ours.startsWith(name));
}
