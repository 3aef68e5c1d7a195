import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { JsonObject, Outcome } from '@woof/net';
import { temporaryFolder } from '@woof/testkit/temporary-folder';
import S3rver from 's3rver';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toolCall, toolContext } from '../exercise-tool.ts';
import { createS3Tool } from '../s3/s3-tool.ts';
import { settle } from '../settle.ts';
import { readScript } from './read-script.ts';

const workdir = temporaryFolder('script');
const auth = { access_key_id: 'S3RVER', secret_access_key: 'S3RVER' };
const bucket = new S3rver({
  port: 0,
  address: '127.0.0.1',
  silent: true,
  directory: temporaryFolder('s3'),
  configureBuckets: [{ name: 'mine', configs: [] }],
});
let web: Server;
let url = '';
let endpoint = '';

/** The text of the script, or the task's outcome. */
async function read(script: JsonObject | string, more: JsonObject = {}): Promise<unknown> {
  const context = toolContext();
  const call = toolCall({ input: { script, ...more }, workdir });
  const outcome = await settle('test', context.signal, async (): Promise<Outcome> => {
    const found = await readScript(call, context, ['code']);
    return { status: 'ok', result: found?.text ?? null };
  });
  return outcome.error ?? outcome.result;
}

beforeAll(async () => {
  web = createServer((request, response) => {
    const isAllowed = request.headers.authorization === 'Bearer t';
    response
      .writeHead(request.url !== '/a.py' ? 404 : isAllowed ? 200 : 401)
      .end(isAllowed ? 'result = 1' : '');
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  endpoint = `http://127.0.0.1:${(await bucket.run()).port}`;
  const s3 = createS3Tool();
  const input = { bucket: 'mine', key: 'in/a.py', data: 'result = 2', endpoint, auth };
  await s3.run(toolCall({ input }), toolContext());
  await s3.close?.();
  writeFileSync(join(workdir, 'a.py'), 'result = 3');
});
afterAll(async () => {
  web.close();
  await bucket.close();
});

it('reads a file, a web server and a bucket', async () => {
  expect(await read('a.py')).toBe('result = 3');
  expect(await read({ uri: 'file://a.py', source: 'file' })).toBe('result = 3');
  const headers = { authorization: 'Bearer t' };
  expect(await read({ uri: `${url}/a.py`, source: { type: 'http', headers } })).toBe('result = 1');
  expect(await read({ uri: 's3://mine/in/a.py', source: { type: 's3', endpoint, auth } })).toBe('result = 2');
});

it('explains the error', async () => {
  expect(await read({ uri: `${url}/a.py` })).toMatchObject({ kind: 'auth', http_status: 401 });
  expect(await read({ uri: `${url}/b.py` })).toMatchObject({
    kind: 'not_found',
    message: expect.stringMatching(/^"script\.uri": /),
  });
  const source = { type: 's3', endpoint, auth };
  expect(await read({ uri: 's3://mine/none.py', source })).toMatchObject({ kind: 'not_found' });
  const wrong: [JsonObject | string, RegExp, JsonObject?][] = [
    [{}, /"script\.uri" must be a file or an address, got nothing/],
    [{ uri: 'a.py', source: 's3' }, /"script\.uri" must look like s3:\/\/bucket\/load\.py if/],
    [{ uri: 'a.py', source: 'gcs' }, /"script\.source" must be one of file, http, s3/],
    [{ uri: 'a.py', sorce: 's3' }, /"script" has no field "sorce": its fields are uri, source$/],
    [
      { uri: 'a.py', source: { type: 'file', region: 'x' } },
      /"script\.source" of type file has no field "region"/,
    ],
    [
      { uri: `${url}/a.py`, source: { type: 'http', endpoint } },
      /has no field "endpoint": its fields are method/,
    ],
    [{ uri: '.' }, /"script\.uri" must be a file that Woof can read/],
    ['a.py', /"code" and "script" cannot be used together/, { code: 'x' }],
  ];
  for (const [script, message, more] of wrong)
    expect(await read(script, more)).toMatchObject({
      kind: 'schema',
      message: expect.stringMatching(message),
    });
});
