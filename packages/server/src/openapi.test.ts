/** The description says what the server does. */
import { ROUTES } from '@woof/protocol';
import { describe, expect, it } from 'vitest';
import { docsPage } from './docs-page.ts';
import { testServer } from './fixtures/test-server.ts';

interface Operation {
  operationId: string;
  parameters: { in: string; name: string }[];
  requestBody?: object;
  responses: Record<string, object>;
}

describe('openapi', () => {
  it('has every call, once, with its parameters', async () => {
    const test = await testServer();
    const response = await fetch(`${test.url}/openapi.json`);
    const { openapi, paths } = (await response.json()) as {
      openapi: string;
      paths: Record<string, Record<string, Operation>>;
    };
    expect(openapi).toBe('3.1.0');
    const calls = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(calls.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(ROUTES).sort());
    const list = paths['/v1/executions']!.get!;
    expect(list.parameters.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['status', 'before', 'limit', 'roots']),
    );
    expect(paths['/v1/executions/{id}']!.get!.parameters).toMatchObject([{ in: 'path', name: 'id' }]);
    expect(JSON.stringify(paths['/v1/executions']!.post!.requestBody)).toContain('payload');
    expect(Object.keys(paths['/v1/executions']!.post!.responses)).toEqual(['201', 'default']);
  });

  it('the page loads nothing from elsewhere', async () => {
    const test = await testServer();
    const response = await fetch(`${test.url}/docs`);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await response.text();
    expect(html).toBe(docsPage.html);
    expect(html).not.toMatch(/(?:src|href)=|https?:\/\//);
  });
});
