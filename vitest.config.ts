import { defineConfig } from 'vitest/config';

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
        // Files share what their process loads: the same tests take a quarter less of the processor. A test that needs a module
        // as it is at the start loads it anew (vi.resetModules).
        test: {
          name: 'rooms',
          include: ['packages/*/src/**/*.test.ts', 'conformance/**/*.test.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        // Whole processes, databases and browsers on a machine of which we know nothing. A second try is told, never hidden.
        // The smoke test has a configuration of its own.
        test: { name: 'e2e', include: ['e2e/**/*.test.ts'], exclude: ['e2e/smoke/**'], retry: 1 },
      },
    ],
  },
});
