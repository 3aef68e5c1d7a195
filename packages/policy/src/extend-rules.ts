/**
 * Adds an organisation's rules to the built-in ones. A file cannot remove a built-in rule, but `extends: none` starts
 * without them, which makes that choice explicit.
 */
import { DEFAULT_RULES, NO_RULES, type Rule, type Rules } from './rules.ts';

/** The rules, or the problems of the file. */
export function extendRules(given: unknown): { rules: Rules } | { faults: string[] } {
  const faults: string[] = [];
  if (!isMap(given))
    return { faults: ['the file must be a map with the keys extends, shells, blocked, file_tools or rules'] };
  for (const key of Object.keys(given)) {
    if (!KEYS.includes(key)) faults.push(`unknown key "${key}"; the allowed keys are ${KEYS.join(', ')}`);
  }
  const base = given.extends ?? 'default';
  if (base !== 'default' && base !== 'none')
    faults.push(`"extends" must be default or none, got ${JSON.stringify(base)}`);
  const start = base === 'none' ? NO_RULES : DEFAULT_RULES;
  const rules: Rules = {
    shells: [...start.shells, ...names('shells')],
    blocked: [...start.blocked, ...names('blocked')],
    file_tools: [...start.file_tools, ...names('file_tools')],
    rules: [...start.rules, ...ownRules(given.rules ?? [], faults)],
  };
  return faults.length > 0 ? { faults } : { rules };

  function names(key: string): string[] {
    const list = (given as Record<string, unknown>)[key] ?? [];
    if (isTexts(list)) return list;
    faults.push(`"${key}" must be a list of program names`);
    return [];
  }
}

const KEYS = ['extends', 'shells', 'blocked', 'file_tools', 'rules'];
const RULE_KEYS = ['id', 'decision', 'program', 'subcommand', 'args', 'reason'];

function ownRules(given: unknown, faults: string[]): Rule[] {
  if (!Array.isArray(given)) {
    faults.push('"rules" must be a list');
    return [];
  }
  return given.flatMap((entry: unknown, index) => {
    const wrong = ruleFault(entry);
    if (wrong === undefined) return [entry as Rule];
    faults.push(`rules[${index}]: ${wrong}`);
    return [];
  });
}

function ruleFault(entry: unknown): string | undefined {
  if (!isMap(entry)) return 'the rule must be a map';
  const unknown = Object.keys(entry).find((key) => !RULE_KEYS.includes(key));
  if (unknown !== undefined) return `unknown key "${unknown}"; the allowed keys are ${RULE_KEYS.join(', ')}`;
  const { id, decision, program, subcommand, args, reason } = entry;
  if (typeof id !== 'string' || id === '') return '"id" must be a name';
  if (decision !== 'block' && decision !== 'warn') return '"decision" must be block or warn';
  if (typeof program !== 'string' && !isTexts(program)) return '"program" must be a name or a list of names';
  if (subcommand !== undefined && typeof subcommand !== 'string') return '"subcommand" must be a word';
  if (args !== undefined && !isTexts(args)) return '"args" must be a list of patterns';
  if (typeof reason !== 'string' || reason === '') return '"reason" must be a text that says why';
  return undefined;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
