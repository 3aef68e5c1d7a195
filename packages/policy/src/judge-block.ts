/**
 * Judges an exec block: allow, warn or block, with reasons that name the command, the program and the rule.
 *
 * It prevents accidents. It is not a defence against someone who wants to bypass it: a program may do anything, and
 * only the sandbox limits it. It never throws, whatever the input.
 */
import { deletionFault, fileToolFault } from './file-tools.ts';
import { matches, matchesAny } from './glob.ts';
import { inlineCode } from './inline-code.ts';
import type { Invocation } from './invocation.ts';
import { baseName, pathFault, shown } from './names.ts';
import { readOptions } from './options.ts';
import { DEFAULT_RULES, type Rule, type Rules } from './rules.ts';
import { unwrap } from './unwrap.ts';

export interface Block {
  workdir?: string;
  allow_shell?: boolean;
  commands: readonly { program: string; args?: readonly string[]; cwd?: string }[];
}

export interface Judgement {
  decision: 'allow' | 'warn' | 'block';
  warnings: string[];
  violations: string[];
}

interface Finding {
  decision: Rule['decision'];
  rule: string;
  text: string;
}

export function judgeBlock(block: Block, rules: Rules = DEFAULT_RULES): Judgement {
  const warnings = new Set<string>();
  const violations = new Set<string>();
  if (block.workdir !== undefined && block.workdir.trim() === '')
    violations.add('the working directory is empty (rule workdir)');
  if (block.commands.length === 0) violations.add('there are no commands (rule commands)');
  block.commands.forEach((command, index) => {
    for (const { decision, rule, text } of judgeCommand(command, block.allow_shell === true, rules)) {
      const reason = `commands[${index}] ${baseName(command.program) || '""'}: ${text} (rule ${rule})`;
      (decision === 'block' ? violations : warnings).add(reason);
    }
  });
  return toJudgement([...warnings], [...violations]);
}

/** Merges the findings of several gates and removes duplicates. */
export function joinJudgements(...all: readonly Omit<Judgement, 'decision'>[]): Judgement {
  const once = (texts: readonly string[]) => [...new Set(texts)];
  return toJudgement(
    once(all.flatMap(({ warnings }) => warnings)),
    once(all.flatMap(({ violations }) => violations)),
  );
}

function toJudgement(warnings: string[], violations: string[]): Judgement {
  const decision = violations.length > 0 ? 'block' : warnings.length > 0 ? 'warn' : 'allow';
  return { decision, warnings, violations };
}

function judgeCommand(
  { program, args = [], cwd = '.' }: Block['commands'][number],
  allowShell: boolean,
  rules: Rules,
): Finding[] {
  const findings: Finding[] = [];
  if (program.trim() === '') findings.push(blocked('program', 'the command names no program'));
  const astray = cwd === '' ? undefined : pathFault(cwd, false, 'allowed');
  if (astray) findings.push(blocked('cwd', `the cwd is ${astray}`));
  const isShell = (name: string) => matchesAny(rules.shells, name) || matchesAny(DEFAULT_RULES.shells, name);
  const { invocations, tooDeep } = unwrap(program, args, isShell);
  for (const invocation of invocations) findings.push(...judgeInvocation(invocation, allowShell, rules));
  if (tooDeep)
    findings.push(
      blocked('depth', 'the command runs programs that run further programs, too deeply nested to check'),
    );
  return findings;
}

function judgeInvocation(invocation: Invocation, allowShell: boolean, rules: Rules): Finding[] {
  const findings = findingsOf(invocation, allowShell, rules);
  const told = invocation.via.length === 0 ? '' : `${invocation.via.join(' → ')} → `;
  return findings
    .filter(({ decision }) => decision === 'block' || !invocation.guess)
    .map((finding) => ({ ...finding, text: told + finding.text }));
}

function findingsOf(invocation: Invocation, allowShell: boolean, rules: Rules): Finding[] {
  const { program, args } = invocation;
  const findings: Finding[] = [];
  if (!allowShell && matchesAny(rules.shells, program))
    findings.push(
      blocked('shell', `${shown(program)} is a shell; if the stage needs one, set allow_shell: true`),
    );
  if (matchesAny(rules.blocked, program))
    findings.push(blocked('blocked', `${shown(program)} is not allowed`));
  const code = rules.shells.length > 0 && !allowShell ? inlineCode(program, args) : undefined;
  if (code)
    findings.push(
      blocked(
        'inline-code',
        `${shown(program)} is given ${code}; put it into a file, or set allow_shell: true`,
      ),
    );
  if (matchesAny(rules.file_tools, program)) findings.push(...judgeFileTool(invocation));
  const deletion = rules.file_tools.length > 0 ? deletionFault(invocation) : undefined;
  if (deletion) findings.push(judged('files', deletion.does, deletion.fault));
  if (invocation.inShell && /[$`]/.test(program))
    findings.push(warned('computed', `the shell decides at run time which program ${shown(program)} is`));
  for (const rule of rules.rules) if (applies(rule, invocation)) findings.push(toFinding(rule, program));
  return findings;
}

function judgeFileTool(invocation: Invocation): Finding[] {
  return [judged('files', shown(invocation.program), fileToolFault(invocation))];
}

function judged(rule: string, does: string, fault: string | undefined): Finding {
  if (fault === undefined) return warned(rule, `${does} changes files in the working directory`);
  return blocked(rule, `${does} accepts only relative paths inside the working directory, got ${fault}`);
}

function toFinding({ decision, id, reason }: Rule, program: string): Finding {
  return { decision, rule: id, text: `${shown(program)}: ${reason}` };
}

/** Options that come before the subcommand, for programs that have subcommands. */
const GLOBAL = {
  valued: 'Cc',
  longValued: ['--git-dir', '--work-tree', '--namespace', '--exec-path', '--host', '--machine', '--context'],
  longPlain: '*',
} as const;

function applies(rule: Rule, { program, args }: Invocation): boolean {
  const names = typeof rule.program === 'string' ? [rule.program] : rule.program;
  if (!matchesAny(names, program)) return false;
  let rest = args;
  if (rule.subcommand !== undefined) {
    const { end } = readOptions(args, GLOBAL);
    if (!matches(rule.subcommand, args[end] ?? '')) return false;
    rest = args.slice(end + 1);
  }
  return (rule.args ?? []).every((pattern) => rest.some((arg) => matches(pattern, arg)));
}

function blocked(rule: string, text: string): Finding {
  return { decision: 'block', rule, text };
}

function warned(rule: string, text: string): Finding {
  return { decision: 'warn', rule, text };
}
