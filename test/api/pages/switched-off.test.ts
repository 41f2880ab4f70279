import { expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestApp } from '../../drivers/app/test-app.ts';

const service = await openSharedApp({ PAGES: new Set() });

test.each([
  '/docs',
  '/docs/',
  '/docs/docs.js',
  '/docs/runbooks',
  '/docs/runbooks/dead-letters',
  '/docs/swagger-ui-bundle.js',
  '/api/v1/openapi.json',
  '/api/v1/asyncapi.json',
  '/problems',
  '/problems/not-found',
  '/favicon.ico',
  '/console',
  '/console/',
  '/console/icon.svg',
  '/',
])('with PAGES=none, %s does not exist', async (url) => {
  for (const method of ['GET', 'POST'] as const) {
    expectProblem(await service.inject({ method, url }), { status: 404, code: 'not-found' });
  }
});

test('without the docs among PAGES, the interface works, and a problem still has its type', async () => {
  const viewer = await service.signedIn('viewer');
  const list = await viewer.get('/api/v1/widgets');
  expect(list.statusCode).toBe(200);
  const refused = await service.get('/api/v1/widgets');
  expect(refused.json()).toMatchObject({ type: '/problems/not-authenticated', code: 'not-authenticated' });
});

test('without the docs among PAGES, the console knows that the service has no runbooks', async () => {
  const consoleOnly = await openTestApp({ PAGES: new Set(['console']) });
  const { body } = await consoleOnly.get('/console/');
  await consoleOnly.close();
  expect(body).toContain('<meta name="docs" content="off">');
});
