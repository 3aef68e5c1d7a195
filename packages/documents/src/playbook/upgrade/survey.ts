/**
 * Which constructs of the older dialect a playbook has, and which of them v10 cannot express exactly. Changes nothing.
 */
import type { Diagnostic } from '@woof/net';
import { isAlias, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { keyOf } from '../../yaml/settle.ts';
import type { Source } from '../../yaml/source.ts';
import { problems } from '../diagnostics.ts';
import { asItems, asMap } from './pieces.ts';
import { hasKey, isLoneArc, stepsOf, tasksOf, textsOf, valueAt } from './sites.ts';
import { readsException, readsStatus, readsWholeOutcome, withStatusOk } from './status-words.ts';

const DIRECTIVES = ['continue', 'retry', 'jump', 'break', 'fail'];
const REDUCERS = ['append', 'sum', 'min', 'max', 'count', 'merge'];

export interface Survey {
  isOlder: boolean;
  diagnostics: Diagnostic[];
}

export function survey(root: unknown, source: Source): Survey {
  const surveyor = new Surveyor(source);
  for (const step of stepsOf(root)) surveyor.step(step);
  for (const task of tasksOf(root)) surveyor.task(task);
  surveyor.templates(root);
  const diagnostics = surveyor.diagnostics.sort((a, b) => a.line - b.line || a.column - b.column);
  return { isOlder: surveyor.isOlder, diagnostics };
}

class Surveyor {
  readonly diagnostics: Diagnostic[] = [];
  isOlder = false;

  constructor(private readonly source: Source) {}

  step(step: YAMLMap): void {
    const spec = asMap(valueAt(step, 'spec'));
    const [when, next, mode] = [pairOf(step, 'when'), pairOf(step, 'next'), pairOf(spec, 'next_mode')];
    const misplaced = pairOf(step, 'eval');
    const cases = pairOf(step, 'case');
    if (cases) this.report(problems.upgradeCase(this.at(cases.key)));
    if (misplaced) this.report(problems.upgradeMisplaced(this.at(misplaced.key)));
    if (when) {
      this.old(when, step);
      if (hasKey(spec, 'policy')) this.report(problems.upgradeBoth(this.at(when.key), 'when', 'spec.policy'));
    }
    if (next && isSeq(next.value)) this.arcs(next, step);
    else if (next && isLoneArc(next.value)) this.old(next, step);
    else if (next && !hasKey(asMap(next.value), 'arcs'))
      this.report(problems.upgradeShape(this.at(next.value), '`next`', 'a list of arcs {step, when, args}'));
    if (mode) this.mode(mode, next, spec!);
  }

  task(task: YAMLMap): void {
    const rules = pairOf(task, 'eval');
    if (!rules) return;
    this.old(rules, task);
    if (hasKey(asMap(valueAt(task, 'spec')), 'policy'))
      this.report(problems.upgradeBoth(this.at(rules.key), 'eval', 'spec.policy'));
    if (isAlias(rules.value) || (isScalar(rules.value) && rules.value.value === null)) return;
    if (!isSeq(rules.value)) {
      this.report(problems.upgradeShape(this.at(rules.value), '`eval`', 'a list of rules'));
      return;
    }
    for (const rule of rules.value.items) this.rule(rule);
  }

  templates(root: unknown): void {
    const all = textsOf(root).filter(({ node }) => /\boutcome\b/.test(node.value));
    if (all.some(({ node, isGuard }) => withStatusOk(node.value, isGuard) !== node.value))
      this.isOlder = true;
    // In v10 they mean what they say.
    if (!this.isOlder) return;
    for (const { node, isGuard } of all) {
      const { value } = node;
      if (readsStatus(value, isGuard)) this.report(problems.upgradeStatus(this.at(node)));
      if (readsWholeOutcome(value, isGuard)) this.report(problems.upgradeOutcome(this.at(node)));
      if (readsException(value, isGuard)) this.report(problems.upgradeException(this.at(node)));
    }
  }

  private arcs(next: Pair, step: YAMLMap): void {
    this.old(next, step);
    for (const arc of asItems(next.value)) {
      if (!hasKey(asMap(arc), 'step'))
        this.report(problems.upgradeShape(this.at(arc), 'an arc', 'a map {step, when, args}'));
    }
  }

  private mode(mode: Pair, next: Pair | undefined, spec: YAMLMap): void {
    this.old(mode, spec);
    if (!next) this.report(problems.upgradeIdle(this.at(mode.key)));
    else if (hasKey(asMap(next.value), 'spec'))
      this.report(problems.upgradeBoth(this.at(mode.key), 'spec.next_mode', 'next.spec'));
  }

  private rule(rule: unknown): void {
    const map = asMap(rule);
    const other = pairOf(map, 'else');
    const directive = other ? asMap(other.value) : map;
    const isRule = map !== undefined && (other ? map.items.length === 1 : says(map, 'expr'));
    if (!isRule || !directive || !hasKey(directive, 'do')) {
      this.report(
        problems.upgradeShape(this.at(rule), 'a rule of `eval`', '{expr, do, …} or {else: {do, …}}'),
      );
      return;
    }
    const said = valueAt(directive, 'do');
    const word = isScalar(said) ? String(said.value) : '';
    if (!DIRECTIVES.includes(word))
      this.report(problems.upgradeShape(this.at(said), '`do`', `one of ${DIRECTIVES.join(', ')}`));
    if (word === 'retry' && !hasKey(directive, 'attempts'))
      this.report(problems.upgradeAttempts(this.at(said)));
    this.shared(pairOf(directive, 'set_shared'));
  }

  private shared(pair: Pair | undefined): void {
    if (!pair) return;
    for (const change of asMap(pair.value)?.items ?? []) {
      const reducers = asMap(change.value)?.items.map(keyOf) ?? [];
      if (reducers.length === 1 && REDUCERS.includes(reducers[0]!)) continue;
      this.report(problems.upgradeShared(this.at(change.key), keyOf(change), REDUCERS));
    }
  }

  /** An alias stands for text elsewhere, which others use too. */
  private old(pair: Pair, holder: YAMLMap): void {
    this.isOlder = true;
    const merged = holder.items.some((each) => keyOf(each) === '<<');
    if (isAlias(pair.value) || merged || isAlias(holder))
      this.report(problems.upgradeAlias(this.at(pair.key), keyOf(pair)));
  }

  private report(diagnostic: Diagnostic): void {
    this.diagnostics.push(diagnostic);
  }

  private at(node: unknown) {
    const range = (node as Node | null)?.range ?? [0, 1, 1];
    return this.source.span(range[0], range[1]);
  }
}

/** Whether the key has a value. */
function says(map: YAMLMap | undefined, key: string): boolean {
  const value = valueAt(map, key);
  return hasKey(map, key) && !(value === null || (isScalar(value) && value.value === null));
}

function pairOf(map: YAMLMap | undefined, key: string): Pair | undefined {
  return map?.items.find((pair) => keyOf(pair) === key);
}
