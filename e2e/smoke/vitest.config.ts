/** npm run smoke: one thing after the other, in a fixed order and once, because each tells how long a person waits for it. */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.sort((a, b) => a.moduleId.localeCompare(b.moduleId));
  }
}

export default defineConfig({
  test: {
    include: ['e2e/smoke/*.test.ts'],
    setupFiles: ['e2e/set-up-file.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    fileParallelism: false,
    sequence: { sequencer: ByName },
    reporters: ['./e2e/smoke/smoke-reporter.ts'],
  },
});
