import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { expect, onTestFinished, test } from 'vitest';
import { FieldFault } from '../fields.ts';
import { Absent } from './far-store.ts';
import { S3FarStore } from './s3-far-store.ts';

const auth = { access_key_id: 'S3RVER', secret_access_key: 'S3RVER' };

test('an invalid prefix is refused before anything is sent', () => {
  const open = (prefix: string) => new S3FarStore({ bucket: 'mine', auth, prefix });
  expect(() => open('../other')).toThrow(FieldFault);
  expect(() => open('../other')).toThrow(/"prefix" must be .*got "..\/other"/);
  expect(open('results/of-mine/').name).toMatch(/\/mine\/results\/of-mine$/);
});

test('nothing is found if the bucket is gone too', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'woof-s3-'));
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory });
  const { port } = await server.run();
  const store = new S3FarStore({ bucket: 'gone', auth, endpoint: `http://127.0.0.1:${port}` });
  onTestFinished(async () => {
    await store.close();
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const read = async () => {
    for await (const _ of store.read('0'.repeat(64)));
  };
  await expect(read()).rejects.toThrow(Absent);
});
