/**
 * The part of the JavaScript driver that makes a script of a cell which shares its names with the others.
 *
 * The text of a cell is changed as little as it can be, and no line moves: declarations at its top become `var` (so that
 * a cell may run again), imports become `await import`, and where it awaits, Node's own rewriting for its prompt makes
 * an async function of it. The parser and that rewriting are Node's internal copies.
 */
export const JAVASCRIPT_REWRITE = String.raw`
const acorn = require('internal/deps/acorn/acorn/dist/acorn');
const { processTopLevelAwait } = require('internal/repl/await');

function rewrite(code) {
  const options = { ecmaVersion: 'latest', allowAwaitOutsideFunction: true, allowImportExportEverywhere: true, allowHashBang: true };
  let tree;
  try { tree = acorn.parse(code, options); } catch { return { code, shows: true }; }
  const edits = tree.body.flatMap((node) => edit(node, code)).sort((a, b) => b.at - a.at);
  const text = edits.reduce((all, { at, end, by }) => all.slice(0, at) + by + all.slice(end), code);
  const final = tree.body.at(-1);
  const shows = final?.type === 'ExpressionStatement' && final.expression.type !== 'AssignmentExpression' && !final.directive;
  return { code: text, shows };
}

function edit(node, code) {
  if (node.type === 'VariableDeclaration' && node.kind !== 'var') {
    return [{ at: node.start, end: node.start + node.kind.length, by: 'var'.padEnd(node.kind.length) }];
  }
  if (node.type === 'ClassDeclaration') return [{ at: node.start, end: node.start, by: 'var ' + node.id.name + ' = ' }, { at: node.end, end: node.end, by: ';' }];
  if (node.type !== 'ImportDeclaration') return [];
  return [{ at: node.start, end: node.end, by: importing(node) + code.slice(node.start, node.end).replace(/[^\n]/g, '') }];
}

function importing({ specifiers, source }) {
  const load = "await import" + "(" + source.raw + ")";
  const whole = specifiers.find((s) => s.type === 'ImportNamespaceSpecifier');
  const names = specifiers.filter((s) => s !== whole)
    .map((s) => (s.type === 'ImportDefaultSpecifier' ? 'default' : s.imported.name ?? JSON.stringify(s.imported.value)) + ': ' + s.local.name);
  if (specifiers.length === 0) return load + ';';
  return (whole ? 'var ' + whole.local.name + ' = ' + load + ';' : '') + (names.length ? 'var {' + names.join(', ') + '} = ' + load + ';' : '');
}
`;
