// Counts the tests, and records the reasons of skips and second tries and the slowest files, for the closing lines of
// `npm test`.
import { writeFileSync } from 'node:fs';

const SLOWEST = 10;

export default class CountingReporter {
  onInit(vitest) {
    this.pattern = vitest.config.testNamePattern;
  }

  onTestRunEnd(modules, errors) {
    const counts = {
      passed: 0,
      failed: errors.length,
      skipped: 0,
      skips: [],
      again: [],
      slowest: slowest(modules),
    };
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

function slowest(modules) {
  const seconds = modules.map((module) => {
    const { collectDuration, duration } = module.diagnostic();
    return [(collectDuration + duration) / 1000, module.relativeModuleId];
  });
  return seconds.sort(([a], [b]) => b - a).slice(0, SLOWEST);
}
