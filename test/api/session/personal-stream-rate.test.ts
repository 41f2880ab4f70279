import { expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();

test('a user gets 120 personal stream tokens at once, and then 429', async () => {
  const [{ headers }, other] = [await service.signedIn('viewer'), await service.signedIn('viewer')];
  const issue = (own = headers) => service.inject({ method: 'POST', url: '/api/v1/session/stream', headers: own });
  for (let index = 0; index < 120; index += 1) expect((await issue()).statusCode).toBe(201);
  const refused = await issue();
  expectProblem(refused, { status: 429, code: 'rate-limited' });
  expect(refused.headers['retry-after']).toBe('10');
  expect((await issue(other.headers)).statusCode).toBe(201);
});
