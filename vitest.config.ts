import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Many tests wait for processes of their own; twice the cores keeps two of them busy.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: { name: 'rooms', include: ['packages/*/src/**/*.test.ts', 'conformance/**/*.test.ts'] },
      },
      {
        extends: true,
        // Whole processes, databases and browsers on a machine of which we know nothing. A second try is told, never hidden.
        test: { name: 'e2e', include: ['e2e/**/*.test.ts'], retry: 1 },
      },
    ],
  },
});
