import { mintToken } from '@widget-service/shared/domain/token.ts';
import { describe, expect, test } from 'vitest';
import { openSharedService } from '../../drivers/app/open-shared.ts';

const service = await openSharedService();

describe('GET /api/v1/events/{token}', () => {
  test('returns one and the same 404, with CORS, for an unknown, a malformed and a hook token', async () => {
    const validHookToken = (await service.issueHookUrl()).split('/').at(-1) ?? '';
    const tokens = [
      mintToken('wst'),
      mintToken('wht'),
      validHookToken,
      'hooks',
      'wst_short',
      'x'.repeat(2_000),
      '%20',
      '..%2fhooks',
    ];
    const responses = await Promise.all(
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
    for (const response of responses) expect(response).toEqual(responses[0]);
    expect(responses[0]).toMatchObject({
      status: 404,
      problem: { code: 'stream-not-found', type: '/problems/stream-not-found' },
    });
  });
});
