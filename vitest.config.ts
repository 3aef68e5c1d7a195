import { defineConfig } from 'vitest/config';

/** Tests that replace a module for themselves, or measure the memory of their process. */
const ALONE = [
  'packages/server/src/docs-site.test.ts',
  'packages/tools/src/exec/exec-limits.test.ts',
  'packages/tools/src/scratch-folder.test.ts',
];

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Many tests wait for processes of their own; one more than two cores keeps both busy, and two more take longer.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        // Files share what their process loads: the same tests take a quarter less of the processor.
        test: {
          name: 'rooms',
          include: ['packages/*/src/**/*.test.ts', 'conformance/**/*.test.ts'],
          exclude: ALONE,
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
      {
        extends: true,
        // Whole processes, databases and browsers on a machine of which we know nothing. A second try is told, never hidden.
        // The smoke test has a configuration of its own.
        test: { name: 'e2e', include: ['e2e/**/*.test.ts'], exclude: ['e2e/smoke/**'], retry: 1 },
      },
    ],
  },
});
