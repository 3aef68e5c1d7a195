// What `npm test` reports at its end, and whether it passes: derived from the counts of the runs, the results of the
// checks, and what the tests left in the temporary folder.
const SLOWEST = 10;
/** A test that passes on its second try may have met a busy machine. Two such tests in one run are a defect. */
const FLAKY_ALLOWED = 1;

export function verdict({ runs, checked, left }) {
  const sum = (what) => runs.reduce((total, counts) => total + counts[what], 0);
  const flaky = runs.flatMap(({ again }) => again);
  const complaints = [
    ...(checked === 0 ? [] : ['The checks above failed.']),
    ...(flaky.length > FLAKY_ALLOWED
      ? [`${flaky.length} tests are flaky; a run passes with at most ${FLAKY_ALLOWED}. Fix them.`]
      : []),
  ];
  // A test that fails may end before it cleans up.
  if (sum('failed') === 0 && left.length > 0) complaints.push(leftBehind(left));
  const failed = sum('failed') + complaints.length;
  const lines = [
    'slowest files:',
    ...slowest(runs),
    ...flaky.map((test) => `flaky, passed on the second try: ${test}`),
    ...runs.flatMap(({ skips }) => skips).map((skip) => `skipped: ${skip}`),
    ...complaints,
    `${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped, ${flaky.length} flaky`,
  ];
  return { lines, passed: failed === 0 };
}

function slowest(runs) {
  const files = runs.flatMap((run) => run.slowest).sort(([a], [b]) => b - a);
  return files.slice(0, SLOWEST).map(([seconds, file]) => `  ${seconds.toFixed(0).padStart(4)} s  ${file}`);
}

function leftBehind(names) {
  const shown = names.slice(0, SLOWEST).join(', ');
  return `The tests left ${names.length} entries in the temporary folder: ${shown}. Remove them in the tests.`;
}
