/**
 * Every case runs in Woof and in the real Jinja2, and either the texts must be equal or both must fail. The few
 * expected differences are listed, and each is checked to be still a difference.
 */
import { describeUnless } from '@woof/testkit';
import { expect, it } from 'vitest';
import { compile, scopeOf, TemplateError } from '../index.ts';
import { context } from './context.ts';
import { differences } from './differences.ts';
import { expressions } from './expressions.ts';
import { Generator } from './generator.ts';
import { findJinja, type JinjaCase, type JinjaResult, runJinja } from './run-jinja.ts';
import { templates } from './templates.ts';

const SEED = Number(process.env.WOOF_SEED ?? 20261115);
const GENERATED_EXPRESSIONS = 1500;
const GENERATED_TEMPLATES = 300;

const jinja = findJinja();
if ('reason' in jinja) console.log(`differential tests are skipped: ${jinja.reason}`);

const expression = (source: string): JinjaCase => ({ kind: 'expression', source });
const template = (source: string): JinjaCase => ({ kind: 'template', source });
/** Jinja2 treats many undefined values as nothing, but Woof does not. */
const strict = (each: JinjaCase): JinjaCase => ({ ...each, strict: true });

function runOurs({ kind, source }: JinjaCase): JinjaResult {
  const { template: compiled, errors } = compile(kind === 'expression' ? `{{ [(${source}\n)] }}` : source);
  if (!compiled) return { error: errors[0]!.message };
  try {
    return { text: compiled.render(scopeOf(context), { now: () => 0, random: () => 0 }) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return error.code === 'expr/undefined'
      ? { undefined: true, error: error.message }
      : { error: error.message };
  }
}

/** What is undefined in Jinja2 must be undefined in Woof. Any other failure there may be of either kind here. */
const same = (ours: JinjaResult, theirs: JinjaResult): boolean =>
  ours.text === theirs.text && (!theirs.undefined || ours.undefined === true);

function compareAll(python: string, cases: readonly JinjaCase[]): string[] {
  const theirs = runJinja(python, cases, context);
  return cases.flatMap((each, index) => {
    const ours = runOurs(each);
    const real = theirs[index]!;
    if (same(ours, real)) return [];
    return [`${each.source}\n    jinja2 ${JSON.stringify(real)}\n    woof   ${JSON.stringify(ours)}`];
  });
}

describeUnless('reason' in jinja ? jinja.reason : undefined)('agrees with Jinja2', () => {
  const python = 'python' in jinja ? jinja.python : '';

  const named = new Set(differences.map(({ source }) => source));

  it('on written expressions', () => {
    expect(expressions.length).toBeGreaterThan(400);
    const cases = expressions.filter((source) => !named.has(source)).map(expression);
    expect(compareAll(python, cases)).toEqual([]);
  });

  it('on written templates', () => {
    expect(templates.length).toBeGreaterThan(80);
    const cases = templates.filter((source) => !named.has(source)).map(template);
    expect(compareAll(python, cases)).toEqual([]);
  });

  it(`on generated expressions (seed ${SEED})`, () => {
    const generator = new Generator(SEED);
    const cases = Array.from({ length: GENERATED_EXPRESSIONS }, () =>
      strict(expression(generator.expression())),
    );
    expect(compareAll(python, cases)).toEqual([]);
    expect(cases.filter((each) => runOurs(each).undefined).length).toBeGreaterThan(20);
  });

  it(`on generated templates (seed ${SEED})`, () => {
    const generator = new Generator(SEED + 1);
    const cases = Array.from({ length: GENERATED_TEMPLATES }, () => strict(template(generator.template())));
    expect(compareAll(python, cases)).toEqual([]);
    expect(cases.filter((each) => runOurs(each).undefined).length).toBeGreaterThan(20);
  });

  it('except where it differs on purpose', () => {
    const theirs = runJinja(python, differences, context);
    const agreeing = differences.filter((each, index) => same(runOurs(each), theirs[index]!));
    expect(agreeing.map(({ source }) => source)).toEqual([]);
  });
});
