// Counts the tests and keeps the reason of every skip and of every second try, for the closing lines of `npm test`.
import { writeFileSync } from 'node:fs';

export default class CountingReporter {
  onInit(vitest) {
    this.pattern = vitest.config.testNamePattern;
  }

  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: errors.length, skipped: 0, skips: [], again: [] };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (this.pattern && !this.pattern.test(test.fullName.replaceAll(' > ', ' '))) continue;
        counts[result.state] = (counts[result.state] ?? 0) + 1;
        if (result.state === 'skipped')
          counts.skips.push(`${test.fullName}: ${result.note ?? 'no reason given'}`);
        if (result.state === 'passed' && test.diagnostic()?.flaky) {
          const [first] = result.errors ?? [];
          counts.again.push(`${test.fullName}: ${first?.message?.split('\n')[0] ?? 'no reason given'}`);
        }
      }
    }
    writeFileSync(process.env.WOOF_TEST_COUNTS, JSON.stringify(counts));
  }
}
