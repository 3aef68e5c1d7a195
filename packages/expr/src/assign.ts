/** Owns: binding names, unpacking tuples, and `namespace` objects, the only objects that can be assigned into. */
import type { Target } from './ast.ts';
import { iterate } from './iterate.ts';
import type { Frame } from './runtime.ts';
import { typeFault, valueFault } from './template-error.ts';
import { Opaque, typeName } from './values.ts';

export class Namespace extends Opaque {
  readonly type = 'namespace';
  readonly members = new Map<string, unknown>();
  override attribute(name: string): unknown {
    return this.members.get(name);
  }
}

export function targetNames(target: Target): string[] {
  if (target.type === 'tuple') return target.items.flatMap(targetNames);
  return target.type === 'name' ? [target.name] : [];
}

export function assign(frame: Frame, target: Target, value: unknown): void {
  if (target.type === 'name') frame.set(target.name, value);
  else if (target.type === 'member') assignMember(frame, target, value);
  else unpack(frame, target, value);
}

function assignMember(frame: Frame, target: Extract<Target, { type: 'member' }>, value: unknown): void {
  const namespace = frame.lookup(target.namespace);
  frame.rt.at = target;
  if (!(namespace instanceof Namespace)) {
    const hint = `make it one: {% set ${target.namespace} = namespace(${target.name}=…) %}`;
    throw typeFault(`"${target.namespace}" is not a namespace, so you cannot set anything in it`, hint);
  }
  namespace.members.set(target.name, value);
}

function unpack(frame: Frame, target: Extract<Target, { type: 'tuple' }>, value: unknown): void {
  frame.rt.at = target;
  const items = iterate(frame.rt, value);
  const wanted = target.items.length;
  if (items.length !== wanted)
    throw valueFault(`cannot unpack ${typeName(value)} of ${items.length} into ${wanted} names`);
  target.items.forEach((part, index) => {
    assign(frame, part, items[index]);
  });
}
