import { accessSync, constants, readFileSync } from 'node:fs';

/** The folders of this process's own groups, under which it may create others. Absent if it may not. */
export interface Hierarchies {
  unified?: string;
  memory?: string;
  pids?: string;
}

let cached: Hierarchies | undefined;

export function ownHierarchies(): Hierarchies {
  cached ??= findHierarchies();
  return cached;
}

function findHierarchies(): Hierarchies {
  try {
    const groups = readFileSync('/proc/self/cgroup', 'utf8');
    return parseHierarchies(groups, readFileSync('/proc/self/mounts', 'utf8'), isWritable);
  } catch {
    return {};
  }
}

/** In a container the mount may already be rooted at the group, so the bare mount point is the second choice. */
export function parseHierarchies(
  groups: string,
  mounts: string,
  usable: (folder: string) => boolean,
): Hierarchies {
  const found: Hierarchies = {};
  const points = mounts.split('\n').map((line) => line.split(' '));
  for (const line of groups.split('\n').filter(Boolean)) {
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const names = controllers === '' ? (['unified'] as const) : (['memory', 'pids'] as const);
    for (const name of names) {
      if (name !== 'unified' && !controllers.split(',').includes(name)) continue;
      const point = points.find(([, , type, options = '']) =>
        name === 'unified' ? type === 'cgroup2' : type === 'cgroup' && options.split(',').includes(name),
      )?.[1];
      if (point === undefined) continue;
      const folder = [path === '/' ? point : point + path, point].find(usable);
      if (folder !== undefined) found[name] = folder;
    }
  }
  return found;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
