// The part of the JavaScript driver that turns a cell into scripts that share their names with other cells.
//
// Each top-level statement becomes a script with its own line and column, so that errors point into the cell.
// Declarations become `var` (so that a cell can run again), functions come first, as in any script, and a statement
// that awaits becomes an async function. No change inside a statement moves a column. The parser is Node's internal
// copy.

const acorn = require('internal/deps/acorn/acorn/dist/acorn');
const PARSING = {
  ecmaVersion: 'latest',
  locations: true,
  allowAwaitOutsideFunction: true,
  allowImportExportEverywhere: true,
  allowHashBang: true,
};

// Scripts in execution order. shows: whether the value of the last one is shown.
function scriptsOf(code, filename) {
  let body;
  try {
    body = acorn.parse(code, PARSING).body;
  } catch (error) {
    return { scripts: [unparsed(code, filename, error)], shows: true };
  }
  const strict = body.some((node) => node.directive === 'use strict') ? '"use strict";' : '';
  const isFunction = (node) => node.type === 'FunctionDeclaration';
  const ordered = [...body.filter(isFunction), ...body.filter((node) => !isFunction(node))];
  const final = body.at(-1);
  const pieces = [hoisted(body), ...ordered.map((node) => pieceOf(node, code, node === final))];
  const scripts = pieces.map((piece) => ({
    waits: piece.waits,
    script: compile({ ...piece, before: strict + piece.before }, filename, code),
  }));
  const shows =
    final?.type === 'ExpressionStatement' &&
    final.expression.type !== 'AssignmentExpression' &&
    !final.directive;
  return { scripts, shows };
}

function compile({ before, text, after, at }, filename, code) {
  const columnOffset = at.column - before.length;
  try {
    return new vm.Script(before + text + after, {
      filename,
      lineOffset: at.line - 1,
      columnOffset,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
  } catch (error) {
    quoteCell(error, code, { line: at.line, columnOffset });
    throw error;
  }
}

// Where a script begins, V8 quotes a rewritten part of the cell's line. This quotes the cell's line instead.
function quoteCell(error, code, { line, columnOffset }) {
  const [place, , carets, ...rest] = String(error.stack).split('\n');
  if (!place.endsWith(`:${line}`) || !/^ *\^+$/.test(carets)) return;
  const column = Math.max(0, carets.indexOf('^') + columnOffset);
  error.stack = [place, code.split('\n')[line - 1], ' '.repeat(column) + carets.trim(), ...rest].join('\n');
}

// Either only V8 knows the syntax, or it is invalid. If the cell awaits, V8 would complain about that first.
function unparsed(code, filename, error) {
  try {
    return {
      waits: false,
      script: compile({ before: '', text: code, after: '', at: START }, filename, code),
    };
  } catch (other) {
    if (!other.message.startsWith('await is only valid')) throw other;
  }
  const { line, column } = error.loc;
  const found = new SyntaxError(error.message.replace(/ \(\d+:\d+\)$/, ''));
  found.stack = [
    `${filename}:${line}`,
    code.split('\n')[line - 1],
    `${' '.repeat(column)}^`,
    '',
    `SyntaxError: ${found.message}`,
  ].join('\n');
  throw found;
}

const START = { line: 1, column: 0 };
function hoisted(body) {
  const names = body.flatMap((node) => namesOf(node));
  return {
    waits: false,
    before: '',
    text: names.length > 0 ? `var ${names.join(', ')};` : '',
    after: '',
    at: START,
  };
}

function namesOf(node) {
  if (node.type === 'ClassDeclaration') return [node.id.name];
  if (node.type === 'ImportDeclaration') return node.specifiers.map((specifier) => specifier.local.name);
  return shared(node).flatMap(([{ declarations }]) => declarations.flatMap(({ id }) => bindings(id)));
}

// Declarations within a statement whose names other cells see, each with its parent.
function shared(top) {
  return reachable(top).filter(
    ([node]) => node.type === 'VariableDeclaration' && (node === top || node.kind === 'var'),
  );
}

function bindings(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((each) => bindings(each.value ?? each.argument));
    case 'ArrayPattern':
      return pattern.elements.flatMap(bindings);
    case 'AssignmentPattern':
      return bindings(pattern.left);
    case 'RestElement':
      return bindings(pattern.argument);
    default:
      return [];
  }
}

const INNER = /Function|^StaticBlock$/;

// All nodes of a statement outside functions, each with its parent.
function reachable(top) {
  const found = [],
    open = [[top, null]];
  while (open.length > 0) {
    const [node, parent] = open.pop();
    found.push([node, parent]);
    if (INNER.test(node.type)) continue;
    for (const child of Object.values(node).flat())
      if (typeof child?.type === 'string') open.push([child, node]);
  }
  return found;
}

function pieceOf(node, code, isLast) {
  const text = code.slice(node.start, node.end),
    at = node.loc.start;
  if (node.type === 'ImportDeclaration')
    return { waits: true, before: '(async () => {', text: importing(node), after: '})', at };
  const waits = reachable(node).some(([each]) => each.type === 'AwaitExpression' || each.await === true);
  const named = node.type === 'ClassDeclaration' ? `${node.id.name} = ` : '';
  if (!waits) return { waits, before: named, text: declaredAsVar(node, text), after: '', at };
  if (isLast && node.type === 'ExpressionStatement')
    return { waits, before: '(async () => (', text: text.replace(/;$/, ''), after: '\n))', at };
  return { waits, before: `(async () => {${named}`, text: assigned(node, text), after: '\n})', at };
}

function declaredAsVar({ type, kind }, text) {
  return type === 'VariableDeclaration' ? 'var'.padEnd(kind.length) + text.slice(kind.length) : text;
}

// Inside a function, only an assignment reaches the names that all cells share.
function assigned(top, text) {
  for (const [{ start, kind }, parent] of shared(top)) {
    const at = start - top.start;
    const by = /^For/.test(parent?.type) && start < parent.body.start ? '' : '0,';
    text = text.slice(0, at) + by.padEnd(kind.length) + text.slice(at + kind.length);
  }
  return text;
}

function importing({ specifiers, source }) {
  // Split in two, because the command line's bundle contains this text and must not contain an import of its own.
  const load = `await ${'import'}(${source.raw})`;
  const whole = specifiers.find((s) => s.type === 'ImportNamespaceSpecifier');
  const names = specifiers
    .filter((s) => s !== whole)
    .map(
      (s) =>
        (s.type === 'ImportDefaultSpecifier'
          ? 'default'
          : (s.imported.name ?? JSON.stringify(s.imported.value))) +
        ': ' +
        s.local.name,
    );
  if (specifiers.length === 0) return `${load};`;
  return (
    (whole ? `${whole.local.name} = ${load};` : '') +
    (names.length ? `({${names.join(', ')}} = ${load});` : '')
  );
}
