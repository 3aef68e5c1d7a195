// Counts the tests and keeps the reason of every skip, for the closing lines of `npm test`.
import { writeFileSync } from 'node:fs';

export default class CountingReporter {
  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: errors.length, skipped: 0, skips: [] };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const result = test.result();
        counts[result.state] = (counts[result.state] ?? 0) + 1;
        if (result.state === 'skipped')
          counts.skips.push(`${test.fullName}: ${result.note ?? 'no reason given'}`);
      }
    }
    writeFileSync(process.env.WOOF_TEST_COUNTS, JSON.stringify(counts));
  }
}
