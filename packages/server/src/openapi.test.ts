/** The description matches what the server does. */
import { ROUTES } from '@woof/protocol';
import { describe, expect, it } from 'vitest';
import { apiPage } from './api-page.ts';
import { testServer } from './fixtures/test-server.ts';

interface Operation {
  operationId: string;
  parameters: { in: string; name: string }[];
  requestBody?: object;
  responses: Record<string, object>;
}

describe('openapi', () => {
  it('has every call once, with its parameters', async () => {
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

  it('says which bodies are required, what is not JSON, and which calls workers may make', async () => {
    const test = await testServer();
    const response = await fetch(`${test.url}/openapi.json`);
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, Operation>> };
    expect(paths['/v1/executions']!.post!.requestBody).toMatchObject({ required: true });
    expect(paths['/v1/executions/{id}/cancel']!.post!.requestBody).toMatchObject({ required: false });
    const blob = paths['/v1/blobs/{sha256}']!;
    expect(blob.put!.requestBody).toMatchObject({
      required: true,
      content: { 'application/octet-stream': {} },
    });
    expect(blob.get).toMatchObject({
      'x-woof-role': 'viewer or worker',
      responses: { 200: { content: { 'application/octet-stream': {} } } },
    });
    const notebook = { 'application/vnd.woof.notebook+text': { schema: { type: 'string' } } };
    expect(paths['/v1/documents']!.post!.requestBody).toMatchObject({ content: notebook });
    expect(paths['/v1/documents/{path}']!.get!.responses).toMatchObject({ 200: { content: notebook } });
    expect(paths['/metrics']!.get!.responses).toMatchObject({ 200: { content: { 'text/plain': {} } } });
    const { content } = paths['/v1/executions/{id}/events']!.get!.responses['200'] as { content: object };
    expect(Object.keys(content)).toEqual(['application/json', 'text/event-stream']);
    // A schema inside this document must not refer to definitions of a separate document.
    expect(JSON.stringify(paths)).not.toContain('#/$defs');
    const claim = {
      type: 'object',
      properties: { jobs: { type: 'array' }, executions: {}, stop: {}, ended: {} },
    };
    expect(paths['/v1/work/claim']!.post!.responses).toMatchObject({
      200: { content: { 'application/json': { schema: claim } } },
    });
  });

  it('the page loads nothing from other servers', async () => {
    const test = await testServer();
    const response = await fetch(`${test.url}/docs/api`);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await response.text();
    expect(html).toBe(apiPage.html);
    expect(html).not.toMatch(/src=|<link|https?:\/\//);
  });
});
