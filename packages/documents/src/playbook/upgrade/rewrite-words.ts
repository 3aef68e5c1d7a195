/** Rewrites single words: `success` is `ok`, a `fixed` backoff is `none`, and the version is v10. */
import { isScalar, type Scalar } from 'yaml';
import { asItems, asMap, type Edit } from './pieces.ts';
import { tasksOf, textsOf, valueAt } from './sites.ts';
import { withStatusOk } from './status-words.ts';

export function rewriteWords(text: string, root: unknown): Edit[] {
  const edits: Edit[] = [];
  const put = ({ range }: Scalar, change: (raw: string) => string) => {
    const raw = text.slice(range![0], range![1]);
    const changed = change(raw);
    if (changed !== raw) edits.push({ from: range![0], to: range![1], text: changed });
  };
  for (const { node, isGuard } of textsOf(root)) put(node, (raw) => withStatusOk(raw, isGuard));
  for (const backoff of backoffs(root)) {
    if (isScalar(backoff) && backoff.value === 'fixed') put(backoff, (raw) => raw.replace('fixed', 'none'));
  }
  const version = valueAt(asMap(root), 'apiVersion');
  if (isScalar(version) && version.value === 'noetl.io/v2') put(version, (raw) => raw.replace('/v2', '/v10'));
  return edits;
}

function backoffs(root: unknown): unknown[] {
  const rules = tasksOf(root).flatMap((task) => asItems(valueAt(task, 'eval')));
  return rules.flatMap((rule) => {
    const map = asMap(rule);
    return [valueAt(map, 'backoff'), valueAt(asMap(valueAt(map, 'else')), 'backoff')];
  });
}
