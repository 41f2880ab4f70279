import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { issueProvisionToken } from '../../drivers/app/issue-grants.ts';
import { openTestApp, type TestApp, type TestResponse } from '../../drivers/app/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await openTestApp();
});
afterAll(() => service.close());

/** Returns the log line of a request that was refused. */
function findLine(response: TestResponse): Record<string, unknown> {
  const { requestId } = response.json();
  const lines = service.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines.find((line) => line.msg === 'request' && line.requestId === requestId) ?? {};
}

describe('the log line of a refused request', () => {
  test('names the user who lacks the permission', async () => {
    const viewer = await service.signedIn('viewer');
    const response = await service.inject({ method: 'GET', url: '/api/v1/users', headers: viewer.headers });
    expectProblem(response, { status: 403, code: 'permission-denied' });
    expect(findLine(response)).toMatchObject({ code: 'permission-denied', userId: viewer.userId });
  });

  test('names the user whose request has no CSRF token', async () => {
    const { cookie, userId } = await service.signedIn('admin');
    const response = await service.inject({ method: 'DELETE', url: '/api/v1/session', headers: { cookie } });
    expectProblem(response, { status: 403, code: 'csrf-token-invalid' });
    expect(findLine(response)).toMatchObject({ code: 'csrf-token-invalid', userId });
  });

  test('names the provision token that lacks the permission', async () => {
    const { grant, token } = await issueProvisionToken(service.backend, { permissions: [] });
    const response = await service.inject({
      method: 'POST',
      url: '/api/v1/widgets',
      headers: { authorization: `Bearer ${token}` },
      payload: { name: 'lamp' },
    });
    expectProblem(response, { status: 403, code: 'permission-denied' });
    expect(findLine(response)).toMatchObject({ code: 'permission-denied', provisionTokenId: grant.id });
  });

  test('names nobody without a valid session', async () => {
    const response = await service.inject({ method: 'GET', url: '/api/v1/users' });
    expectProblem(response, { status: 403, code: 'not-authenticated' });
    expect(findLine(response)).not.toHaveProperty('userId');
  });
});
