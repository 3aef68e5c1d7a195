import { defineConfig } from 'vitest/config';

/** Rooms whose tests leave nothing behind in their process, so that those of one process share what they load. */
const TIDY = [
  ...[
    'arrow',
    'cli',
    'client',
    'docs-site',
    'documents',
    'expr',
    'net',
    'policy',
    'protocol',
    'workbook-build',
    'workbook-page',
  ].map((room) => `packages/${room}/src/**/*.test.ts`),
  'conformance/**/*.test.ts',
];

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Many tests wait for processes of their own; one more than two cores keeps both busy, and two more take longer.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'tidy', include: TIDY, isolate: false } },
      { extends: true, test: { name: 'rooms', include: ['packages/*/src/**/*.test.ts'], exclude: TIDY } },
      {
        extends: true,
        // Whole processes, databases and browsers on a machine of which we know nothing. A second try is told, never hidden.
        // The smoke test has a configuration of its own.
        test: { name: 'e2e', include: ['e2e/**/*.test.ts'], exclude: ['e2e/smoke/**'], retry: 1 },
      },
    ],
  },
});
