import { MemoryStore } from '@woof/stores';
import { describe, expect, it } from 'vitest';
import { Secrets } from './secrets.ts';

const KEY = Buffer.alloc(32, 1);
const NEXT = Buffer.alloc(32, 2);
const FIELDS = { user: 'ada lovelace', password: 'hunter22-ü' };

function storeOf(keys: Buffer[], records = new MemoryStore().records) {
  return { records, secrets: new Secrets(records, keys, () => 5) };
}

describe('sealed secrets', () => {
  it('come back unchanged; what is stored shows only names', async () => {
    const { records, secrets } = storeOf([KEY]);
    await secrets.put('api', FIELDS);
    expect(await secrets.open('api')).toEqual(FIELDS);
    expect(await secrets.open('none')).toBeUndefined();
    expect(await secrets.list()).toEqual([{ name: 'api', fields: ['user', 'password'], updated_at: 5 }]);
    expect(JSON.stringify(await records.list('secrets'))).not.toMatch(/hunter22|ada lovelace/);
  });

  it('never have the same nonce, and never look the same twice', async () => {
    const { records, secrets } = storeOf([KEY]);
    await secrets.put('a', FIELDS);
    await secrets.put('b', FIELDS);
    const [one, two] = await records.list('secrets');
    expect(one!.value.nonce).not.toBe(two!.value.nonce);
    expect(one!.value.sealed).not.toBe(two!.value.sealed);
  });

  it.each([
    ['under another name', 'other', {}],
    ['with a changed byte', 'api', { sealed: Buffer.alloc(40, 3).toString('base64') }],
    ['with another tag', 'api', { tag: Buffer.alloc(16, 3).toString('base64') }],
    ['with a short tag', 'api', { tag: Buffer.alloc(4, 3).toString('base64') }],
    ['with a part missing', 'api', { nonce: null }],
  ])('do not open %s', async (_, name, change) => {
    const { records, secrets } = storeOf([KEY]);
    await secrets.put('api', FIELDS);
    const [kept] = await records.list('secrets');
    await records.put('secrets', name, { ...kept!.value, ...change });
    await expect(secrets.open(name)).rejects.toMatchObject({ code: 'secrets/unreadable' });
  });

  it('open with an older key while there is one, and with the new one alone once they are sealed again', async () => {
    const { records, secrets } = storeOf([KEY]);
    await secrets.put('api', FIELDS);
    await expect(storeOf([NEXT], records).secrets.open('api')).rejects.toMatchObject({
      code: 'secrets/unreadable',
    });
    const both = storeOf([NEXT, KEY], records).secrets;
    expect(await both.open('api')).toEqual(FIELDS);
    expect(await both.reseal()).toBe(1);
    expect(await storeOf([NEXT], records).secrets.open('api')).toEqual(FIELDS);
    await expect(secrets.open('api')).rejects.toMatchObject({ code: 'secrets/unreadable' });
  });
});
