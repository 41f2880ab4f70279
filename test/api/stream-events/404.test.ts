import { mintToken } from '@widget-service/shared/domain/token.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestService, type TestService } from '../../drivers/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

test('the operation is described under its own name', async () => {
  const document = await (await fetch(`${service.url}/api/v1/openapi.json`)).json();
  const { get, ...others } =
    (document as { paths: Record<string, Record<string, unknown>> }).paths['/api/v1/events/{token}'] ?? {};
  expect(Object.keys(others)).toEqual([]);
  expect(get).toMatchObject({
    operationId: 'example.events.stream',
    parameters: expect.arrayContaining([expect.objectContaining({ name: 'token', in: 'path', required: true })]),
    responses: { 200: { content: { 'text/event-stream': {} } }, 404: { content: { 'application/problem+json': {} } } },
  });
});

test('unknown, malformed and other kinds of token get one answer, which a page of any origin may read', async () => {
  const hookToken = (await service.issueHookUrl()).split('/').at(-1) ?? '';
  const tokens = [
    mintToken('wst'),
    mintToken('wht'),
    hookToken,
    'hooks',
    'wst_short',
    'x'.repeat(2_000),
    '%20',
    '..%2fhooks',
  ];
  const answers = await Promise.all(
    tokens.map(async (token) => {
      const response = await fetch(`${service.url}/api/v1/events/${token}`);
      const { instance, requestId, ...problem } = (await response.json()) as Record<string, unknown>;
      expect(instance).toBe(`urn:uuid:${requestId}`);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(JSON.stringify(problem)).not.toContain(token.slice(0, 20));
      return { status: response.status, problem };
    }),
  );
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect(answers[0]).toMatchObject({
    status: 404,
    problem: { code: 'stream-not-found', type: '/problems/stream-not-found' },
  });
});
