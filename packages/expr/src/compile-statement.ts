/**
 * Owns: statements → closures that write text. Scopes are as in Jinja2: for bodies (per iteration), with, macro, call
 * and filter blocks and block sets have their own scope; if does not.
 */

import { assign, targetNames } from './assign.ts';
import type { Expression, FilterStep, Statement, StatementOf, Target } from './ast.ts';
import { callValue } from './callable.ts';
import { truthOf } from './compare.ts';
import { compileArguments } from './compile-call.ts';
import type { CompileContext, Evaluator, Writer } from './compile-context.ts';
import { applyFilter } from './compile-filter.ts';
import { compileFor } from './compile-for.ts';
import { compileMacro, compileMacroBody } from './macro.ts';
import { need } from './runtime.ts';
import { toOutput } from './text.ts';
import { TextBuffer } from './text-buffer.ts';

export function compileBody(context: CompileContext, statements: readonly Statement[]): Writer {
  const writers = statements.map((statement) => compileStatement(context, statement));
  if (writers.length === 1) return writers[0]!;
  return (frame, out) => {
    for (const write of writers) write(frame, out);
  };
}

function compileStatement(context: CompileContext, statement: Statement): Writer {
  switch (statement.type) {
    case 'text':
      return (frame, out) => out.write(frame.rt, statement.text);
    case 'output':
      return compileOutput(context, statement);
    case 'do':
      return compileDo(context, statement.value);
    case 'if':
      return compileIf(context, statement);
    case 'for':
      return compileFor(context, statement);
    case 'set':
      return compileSet(context, statement);
    case 'set-block':
      return compileSetBlock(context, statement);
    case 'with':
      return compileWith(context, statement);
    case 'macro':
      return compileMacro(context, statement);
    case 'call-block':
      return compileCallBlock(context, statement);
    case 'filter-block':
      return compileFilterBlock(context, statement);
  }
}

function compileOutput(context: CompileContext, { value }: StatementOf<'output'>): Writer {
  const evaluate = context.value(value);
  return (frame, out) => {
    const result = evaluate(frame);
    frame.rt.at = value;
    out.write(frame.rt, toOutput(frame.rt, result));
  };
}

function compileDo(context: CompileContext, value: Expression): Writer {
  const evaluate = context.expression(value);
  return (frame) => {
    need(evaluate(frame));
  };
}

function compileIf(context: CompileContext, statement: StatementOf<'if'>): Writer {
  const branches = statement.branches.map(({ test, body }) => ({
    test: context.expression(test),
    write: context.block([], body),
  }));
  const otherwise = context.block([], statement.otherwise);
  return (frame, out) => {
    frame.rt.spend();
    const branch = branches.find(({ test }) => truthOf(frame.rt, test(frame)));
    (branch?.write ?? otherwise)(frame, out);
  };
}

function declareTarget(context: CompileContext, target: Target): void {
  for (const name of targetNames(target)) context.declare(name);
}

/** A value bound to a name may stay a reference, but a value that is unpacked may not. */
function compileBound(context: CompileContext, target: Target, value: Expression): Evaluator {
  return target.type === 'name' ? context.expression(value) : context.value(value);
}

function compileSet(context: CompileContext, { target, value }: StatementOf<'set'>): Writer {
  const evaluate = compileBound(context, target, value);
  declareTarget(context, target);
  return (frame) => assign(frame, target, evaluate(frame));
}

function compileSetBlock(context: CompileContext, statement: StatementOf<'set-block'>): Writer {
  const capture = compileCapture(context, statement.body, statement.filters);
  declareTarget(context, statement.target);
  return (frame) => assign(frame, statement.target, capture(frame));
}

function compileFilterBlock(context: CompileContext, statement: StatementOf<'filter-block'>): Writer {
  const capture = compileCapture(context, statement.body, statement.filters);
  return (frame, out) => {
    const value = capture(frame);
    frame.rt.at = statement;
    out.write(frame.rt, toOutput(frame.rt, value));
  };
}

/** The text of a body as a value, passed through filters. */
function compileCapture(
  context: CompileContext,
  body: readonly Statement[],
  filters: readonly FilterStep[],
): Evaluator {
  const write = context.block([], body);
  const capture: Evaluator = (frame) => {
    const out = new TextBuffer();
    write(frame.inner(), out);
    return out.text;
  };
  return filters.reduce<Evaluator>((subject, step) => applyFilter(context, subject, step), capture);
}

function compileWith(context: CompileContext, statement: StatementOf<'with'>): Writer {
  const values = statement.bindings.map(([target, value]) => compileBound(context, target, value));
  const names = statement.bindings.flatMap(([target]) => targetNames(target));
  const write = context.block(names, statement.body);
  return (frame, out) => {
    const inner = frame.inner();
    const results = values.map((evaluate) => evaluate(frame));
    statement.bindings.forEach(([target], index) => {
      assign(inner, target, results[index]);
    });
    write(inner, out);
  };
}

function compileCallBlock(context: CompileContext, statement: StatementOf<'call-block'>): Writer {
  const { call } = statement;
  const callee = context.value(call.callee);
  const args = compileArguments(context, call.args);
  const makeCaller = compileMacroBody(context, 'caller', statement.signature, statement.body);
  const written = call.source.slice(call.callee.start, call.callee.end);
  return (frame, out) => {
    const target = need(callee(frame));
    const { positional, keyword } = args(frame);
    frame.rt.at = call;
    const all = { positional, keyword: [...keyword, ['caller', makeCaller(frame)] as const] };
    out.write(frame.rt, toOutput(frame.rt, callValue(frame.rt, target, all, written)));
  };
}
