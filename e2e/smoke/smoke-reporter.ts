/** One line per thing: whether it works, how long a person waits for it, and how long is too long. */
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';
import type { Felt } from './felt.ts';

/** The maximum number of lines that explain one failure. */
const MOST_LINES = 20;
const VERDICTS = { passed: 'ok', failed: 'FAIL', skipped: 'skip', pending: 'FAIL' };

export default class SmokeReporter implements Reporter {
  private readonly from = performance.now();
  private pattern: RegExp | undefined;

  onInit(vitest: Vitest): void {
    this.pattern = vitest.config.testNamePattern;
  }

  onTestCaseResult(test: TestCase): void {
    if (!this.isAsked(test)) return;
    const result = test.result();
    const { felt } = test.meta() as { felt?: Felt };
    const limit = felt ? `  (limit ${felt.limitMs / 1000} s)` : '';
    const more = result.state === 'skipped' ? `: ${result.note ?? 'no reason given'}` : limit;
    say(VERDICTS[result.state], felt ? seconds(felt.ms) : '', test.fullName.replaceAll(' > ', ': ') + more);
    for (const error of result.errors ?? []) explain(error);
  }

  /** Failures outside the lines, such as starting a server. */
  onTestSuiteResult(suite: TestSuite): void {
    for (const error of suite.errors()) {
      say('FAIL', '', suite.fullName);
      explain(error);
    }
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly { message: string }[]): void {
    const broken = [...errors, ...modules.flatMap((module) => module.errors())];
    for (const { message } of broken) say('FAIL', '', message);
    const tests = modules
      .flatMap((module) => [...module.children.allTests()])
      .filter((test) => this.isAsked(test));
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const failed = count('failed') + broken.length;
    const took = seconds(performance.now() - this.from);
    console.log(
      `smoke: ${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped, in ${took}`,
    );
  }

  /** Lines that -t excludes are not lines that this machine cannot run. */
  private isAsked(test: TestCase): boolean {
    return this.pattern?.test(test.fullName.replaceAll(' > ', ' ')) ?? true;
  }
}

function say(verdict: string, took: string, what: string): void {
  console.log(`${verdict.padEnd(4)} ${took.padStart(6)}  ${what}`);
}

function explain({ message, diff }: { message: string; diff?: string | undefined }): void {
  const lines = (diff === undefined ? message : `${message}\n${diff}`).split('\n');
  for (const line of lines.slice(0, MOST_LINES)) console.log(`             ${line}`);
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
