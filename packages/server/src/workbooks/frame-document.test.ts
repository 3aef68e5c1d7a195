import { PERMISSIONS, type Permission } from '@woof/documents/workbook';
import { expect, it } from 'vitest';
import { FRAME_PERMISSIONS } from './frame/frame-permissions.ts';
import { frameDocument } from './frame-document.ts';
import { frameHeaders } from './frame-policy.ts';

function frameOf(granted: readonly Permission[]) {
  const asked = PERMISSIONS;
  return {
    headers: frameHeaders({ granted, shellOrigin: 'http://x', sandbox: '' }),
    script: frameDocument('', { granted, asked, hasOrigin: granted.includes('storage'), env: {} }),
  };
}

it.each(PERMISSIONS)('%s is blocked, until it is granted, by what its row says', (permission) => {
  const { blockedBy } = FRAME_PERMISSIONS[permission];
  const [blocked, open] = [frameOf([]), frameOf([permission])];
  const why = `${permission} was not granted`;
  expect(JSON.stringify(blocked.headers) !== JSON.stringify(open.headers)).toBe(blockedBy === 'policy');
  expect(blocked.script.includes(why)).toBe(typeof blockedBy === 'function');
  expect(open.script).not.toContain(why);
});

it('hands values over only if they were granted', () => {
  const parts = { asked: PERMISSIONS, hasOrigin: false, env: { A: 'given' } };
  expect(frameDocument('', { ...parts, granted: ['env'] })).toContain('given');
  expect(frameDocument('', { ...parts, granted: [] })).not.toContain('given');
});

it('blocks storage without an origin of its own, even if it was granted', () => {
  const parts = { asked: PERMISSIONS, granted: ['storage'] as const, env: {} };
  const why = 'workbooks on a server share a site';
  expect(frameDocument('', { ...parts, hasOrigin: false })).toContain(why);
  expect(frameDocument('', { ...parts, hasOrigin: true })).not.toContain(why);
});
