import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/app/test-app.ts';

let service: TestApp;
let viewer: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  viewer = await service.signedIn('viewer');
});
afterAll(() => service.close());

const list = (query: string) =>
  service.inject({ method: 'GET', url: `/api/v1/widgets?${query}`, headers: { cookie: viewer.cookie } });

describe('GET /api/v1/widgets: invalid query', () => {
  test.each([
    ['page=0', 'page', 'too-small'],
    ['page=2147483648', 'page', 'too-large'],
    ['page=-1', 'page', 'format'],
    ['page=%2B1', 'page', 'format'],
    ['page=1.5', 'page', 'format'],
    ['page=1e1', 'page', 'format'],
    ['page=01', 'page', 'format'],
    ['page=', 'page', 'format'],
    ['page=x', 'page', 'format'],
    ['page=99999999999999999999', 'page', 'format'],
    ['page=1&page=1', 'page', 'repeated'],
    ['pageSize=0', 'pageSize', 'too-small'],
    ['pageSize=201', 'pageSize', 'too-large'],
    ['pageSize=', 'pageSize', 'format'],
    ['pageSize=10&pageSize=20', 'pageSize', 'repeated'],
    ['state=gone', 'state', 'enum'],
    ['state=', 'state', 'enum'],
    ['state=active&state=retired', 'state', 'repeated'],
    ['asOf=yesterday', 'asOf', 'format'],
    ['asOf=2026-02-30T00:00:00Z', 'asOf', 'format'],
    ['asOf=2026-01-01T00:00:00%2B01:00', 'asOf', 'format'],
    ['pagesize=10', 'pagesize', 'unknown-field'],
    ['page[]=1', 'page[]', 'unknown-field'],
  ])('returns 400 invalid-request for ?%s', async (query, parameter, code) => {
    const response = await list(query);
    expectProblem(response, { status: 400, code: 'invalid-request', errors: [{ parameter, code }] });
  });

  test('returns 400 uri-too-long for a URL of more than 8 KiB', async () => {
    expectProblem(await list(`page=${'1'.repeat(8_192)}`), { status: 400, code: 'uri-too-long' });
  });

  test('accepts the largest page and page size', async () => {
    expect((await list('page=2147483647&pageSize=200&state=retired')).statusCode).toBe(200);
  });
});
