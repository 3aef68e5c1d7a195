/**
 * npm run smoke: one item after another, in a fixed order and once, because each measures how long a person waits for
 * it.
 */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const HANGS_MS = process.env.WOOF_SMOKE_UNTIMED === undefined ? 60_000 : 600_000;

class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.sort((a, b) => a.moduleId.localeCompare(b.moduleId));
  }
}

export default defineConfig({
  test: {
    include: ['e2e/smoke/*.test.ts'],
    setupFiles: ['e2e/set-up-file.ts'],
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    pool: 'forks',
    fileParallelism: false,
    sequence: { sequencer: ByName },
    reporters: ['./e2e/smoke/smoke-reporter.ts'],
  },
});
