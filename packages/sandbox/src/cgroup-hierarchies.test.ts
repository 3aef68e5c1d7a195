import { expect, it } from 'vitest';
import { parseHierarchies } from './cgroup-hierarchies.ts';

const V1 =
  'cgroup /sys/fs/cgroup/pids cgroup rw,pids 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n';
const V2 = 'cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n';

it.each([
  [
    'version 1',
    '8:pids:/\n4:memory:/a/b\n',
    V1,
    { pids: '/sys/fs/cgroup/pids', memory: '/sys/fs/cgroup/memory/a/b' },
  ],
  ['version 2', '0::/user.slice/x\n', V2, { unified: '/sys/fs/cgroup/user.slice/x' }],
  ['joint controllers', '4:cpu,memory:/a\n', V1, { memory: '/sys/fs/cgroup/memory/a' }],
  ['no mounts', '0::/x\n4:memory:/a\n', '', {}],
])('finds the groups of the process in %s', (_name, groups, mounts, expected) => {
  expect(parseHierarchies(groups, mounts, () => true)).toEqual(expected);
});

it('falls back to the mount point in a container, and to nothing if neither is writable', () => {
  const inside = (folder: string) => folder === '/sys/fs/cgroup';
  expect(parseHierarchies('0::/docker/abc\n', V2, inside)).toEqual({ unified: '/sys/fs/cgroup' });
  expect(parseHierarchies('0::/docker/abc\n', V2, () => false)).toEqual({});
});
