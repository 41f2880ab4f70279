import { mintToken } from '@widget-service/shared/domain/token.ts';
import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const { token } = await service.issueHookToken();

const validHook = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' };
const send = (payload: unknown, sentToken = token, headers: Record<string, string> = {}) =>
  service.inject({
    method: 'POST',
    url: `/api/v1/events/hooks/${sentToken}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });

describe('POST /api/v1/events/hooks/{token}: invalid token', () => {
  test.each([
    ['is unknown', () => mintToken('wht')],
    ['is malformed', () => 'x'],
    ['is a stream token', () => mintToken('wst')],
    ['has a wrong checksum', () => `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`],
    ['has 5 000 characters', () => 'a'.repeat(5_000)],
    ['has an invalid percent-encoding', () => '%zz'],
    ['is followed by an encoded slash', () => `${token}%2f`],
  ])('returns 400 invalid-hook-token, and neither answers nor logs the token, when it %s', async (_, makeToken) => {
    const invalidToken = makeToken();
    const response = await send(validHook, invalidToken);
    expectProblem(response, { status: 400, code: 'invalid-hook-token' });
    // The answer or the log may contain a short text by chance.
    if (invalidToken.length > 5) {
      expect(response.body).not.toContain(invalidToken);
      expect(service.logLines.join('')).not.toContain(invalidToken);
    }
  });

  test('returns 400 invalid-hook-token even if the body or the media type is invalid, too', async () => {
    expectProblem(await send('{broken', mintToken('wht')), { status: 400, code: 'invalid-hook-token' });
    const withTextBody = await send('x', mintToken('wht'), { 'content-type': 'text/plain' });
    expectProblem(withTextBody, { status: 400, code: 'invalid-hook-token' });
  });

  test('returns equal problems for an unknown and a malformed token', async () => {
    const responses = await Promise.all([send(validHook, mintToken('wht')), send(validHook, 'x')]);
    const [first, second] = responses.map((response) => {
      const { instance: _, requestId: __, ...rest } = response.json();
      return rest;
    });
    expect(first).toEqual(second);
  });
});
