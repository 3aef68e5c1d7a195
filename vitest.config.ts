import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that replace a module for themselves, or measure the memory of their process. */
const ALONE = [
  'packages/server/src/docs-site.test.ts',
  'packages/tools/src/exec/exec-limits.test.ts',
  'packages/tools/src/scratch-folder.test.ts',
];

/**
 * Tests of what Woof does with the programs of others (databases, languages, sandboxes), and the simulator.
 * `npm run test:fast` leaves them out.
 */
const SERVICES = [
  'packages/*/src/**/{postgres,slurm,jupyter}/**/*.test.ts',
  'packages/kernels/src/*/**/*.test.ts',
  'packages/sandbox/src/**/*.test.ts',
  'packages/worker/src/result-store/**/*.test.ts',
  'packages/tools/src/{container,duckdb,exec,nats,python,r,shell,transfer}/**/*.test.ts',
  // The whole engine, or several servers on one Postgres.
  'packages/testkit/src/simulator/**/*.test.ts',
  'packages/engine/src/schedules/scheduler.test.ts',
  'packages/server/src/{changes,declared-schedules,events}.test.ts',
];

/** What takes longest, so that none of it runs alone at the end. `npm test` says which files these are. */
const FIRST = [
  'packages/tools/src/transfer/transfer-tool.test.ts',
  'packages/stores/src/postgres/postgres.test.ts',
  'packages/tools/src/r/r-tool.test.ts',
  'packages/server/src/events.test.ts',
  'packages/tools/src/exec/slurm/slurm-ends.test.ts',
  'packages/testkit/src/simulator/simulate.test.ts',
  'e2e/workbook/escape.test.ts',
  'e2e/server/faults.test.ts',
  'e2e/workflow/slurm.test.ts',
  'e2e/server/quiet.test.ts',
  'e2e/workbook/open.test.ts',
  'e2e/server/one-folder.test.ts',
  'e2e/notebook/warm-equals-cold.test.ts',
  'e2e/escape/escape.test.ts',
  'e2e/install/package.test.ts',
  'e2e/workbook/notebook-page.test.ts',
  'e2e/notebook/run-notebook.test.ts',
  'e2e/playbook/any-size.test.ts',
  'e2e/studio/pages.test.ts',
  'e2e/notebook/undeclared.test.ts',
  'e2e/workflow/machines.test.ts',
  'e2e/secrets/canary.test.ts',
];

/** A process that files share is used again only while the next file is of the same project. */
const PROJECTS = ['alone', 'services', 'rooms', 'e2e'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const place = FIRST.findIndex((path) => moduleId.endsWith(`/${path}`));
      return PROJECTS.indexOf(project.name) * 100 + (place === -1 ? FIRST.length : place);
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    // Only a hang takes as long: no test depends on how fast the machine is. What waits inside a test gives up first, and
    // says what it waited for.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 500_000 } },
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // Many tests wait for processes of their own; one more than two cores keeps both busy, and two more take longer. Beside
    // them, `npm test` gives the rooms two, so that neither part ends long before the other.
    maxWorkers: Number(process.env.WOOF_TEST_WORKERS ?? 3),
    projects: [
      {
        extends: true,
        // Files share what their process loads: the same tests take a quarter less of the processor.
        test: {
          name: 'rooms',
          include: ['packages/*/src/**/*.test.ts', 'conformance/**/*.test.ts'],
          exclude: [...ALONE, ...SERVICES],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'services', include: SERVICES, exclude: ALONE, isolate: false } },
      { extends: true, test: { name: 'alone', include: ALONE } },
      {
        extends: true,
        // Whole processes, databases and browsers on a machine of which we know nothing. A second try is told, never hidden.
        // The smoke test has a configuration of its own.
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: ['e2e/smoke/**', '**/node_modules/**'],
          retry: 1,
          // Files of one process share its browser and what it loads.
          isolate: false,
          setupFiles: ['e2e/set-up-file.ts'],
        },
      },
    ],
  },
});
