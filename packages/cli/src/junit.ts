/** The tests of a run as a JUnit report. */
import { accountOf, type State } from '@woof/net';

export function junitOf(state: State, tests: readonly string[]): string {
  const { steps } = accountOf(state);
  const failed = tests.filter((id) => steps[id]?.status === 'failed').length;
  const skipped = tests.filter((id) => steps[id]?.status === 'skipped').length;
  const cases = tests.map((id) => testCase(state, id)).join('');
  const counts = `tests="${tests.length}" failures="${failed}" skipped="${skipped}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="${escaped(state.plan.name)}" ${counts}>\n${cases}</testsuite>\n`;
}

function testCase(state: State, id: string): string {
  const summary = state.steps.get(id);
  const seconds = ((summary?.ended_at ?? 0) - (summary?.started_at ?? 0)) / 1000;
  const open = `  <testcase name="${escaped(id)}" time="${Math.max(seconds, 0)}"`;
  if (summary?.status === 'succeeded') return `${open}/>\n`;
  if (summary?.status !== 'failed')
    return `${open}><skipped message="${escaped(summary?.because ?? '')}"/></testcase>\n`;
  const trace = escaped(String(summary.error?.details?.traceback ?? ''));
  return `${open}><failure message="${escaped(summary.error?.message ?? '')}">${trace}</failure></testcase>\n`;
}

function escaped(text: string): string {
  const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  // Control characters are not allowed in XML, not even escaped.
  const printable = [...text]
    .filter((character) => character >= ' ' || '\t\n\r'.includes(character))
    .join('');
  return printable.replaceAll(/[&<>"]/g, (character) => named[character]!);
}
