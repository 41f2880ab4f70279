import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { issueProvisionToken } from '../../drivers/app/issue-grants.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';

/** No permit returns while a test runs. */
const widgets = { ratePerSecond: 3 / 3_600, burst: 3 };
let isUnavailable = false;
const service = await openSharedApp({
  limits: { widgets },
  replace: (backend) => ({
    widgets: overrideMethod(backend.widgets, 'insertOnce', (creation) =>
      isUnavailable ? Promise.reject(new UnavailableError('down')) : backend.widgets.insertOnce(creation),
    ),
  }),
});

/** Returns a function that creates a widget with a new provision token. */
async function openScript() {
  const { token } = await issueProvisionToken(service.backend);
  return (payload: object = { name: 'lamp' }, key?: string) =>
    service.post('/api/v1/widgets', payload, {
      authorization: `Bearer ${token}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    });
}

test('a provision token creates as many widgets an hour as its bound. The refusal says the bound', async () => {
  const [create, createByOther] = [await openScript(), await openScript()];
  for (let index = 0; index < 3; index += 1) expect((await create()).statusCode).toBe(201);
  const refused = await create({ name: 'not created' });
  expectProblem(refused, { status: 429, code: 'rate-limited' });
  expect(refused.json().detail).toContain('3 widgets an hour');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1_000);
  expect(refused.headers['ratelimit-policy']).toBe('"widgets";q=3;w=3600');
  expect((await createByOther()).statusCode).toBe(201);
  const { headers } = await service.signedIn('editor');
  const page = await service.get('/api/v1/widgets', headers);
  expect(page.body).not.toContain('not created');
});

test('only a created widget counts: no repetition, no reused key, no invalid request', async () => {
  const create = await openScript();
  expect((await create({ name: 'lamp' }, 'a-key')).statusCode).toBe(201);
  for (let index = 0; index < 3; index += 1) {
    expect((await create({ name: 'lamp' }, 'a-key')).headers['idempotent-replayed']).toBe('true');
    expect((await create({ name: 'another' }, 'a-key')).statusCode).toBe(409);
    expect((await create({ name: '' })).statusCode).toBe(400);
  }
  for (let index = 1; index < 3; index += 1) expect((await create()).statusCode).toBe(201);
  expect((await create()).statusCode).toBe(429);
});

test('creates that fail do not count', async () => {
  const create = await openScript();
  isUnavailable = true;
  for (let index = 0; index < 5; index += 1) expect((await create()).statusCode).toBe(503);
  isUnavailable = false;
  for (let index = 0; index < 3; index += 1) expect((await create()).statusCode).toBe(201);
  expect((await create()).statusCode).toBe(429);
});

test('the bound is not that of users', async () => {
  const { headers } = await service.signedIn('editor');
  const create = () => service.post('/api/v1/widgets', { name: 'lamp' }, headers);
  for (let index = 0; index < 5; index += 1) expect((await create()).statusCode).toBe(201);
});
