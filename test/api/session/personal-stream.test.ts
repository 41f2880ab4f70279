import { computeCsrfToken } from '@widget-service/api/caller/csrf.ts';
import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { startSession } from '../../drivers/app/test-app.ts';
import { createManualClock } from '../../drivers/tools/manual-clock.ts';

const minuteMs = 60_000;
const clock = createManualClock();
let position: { epoch: string; ms: number; seq: number } | null;
const service = await openSharedApp({ clock, tailPosition: () => position });
beforeEach(() => {
  position = { epoch: 'k3f9', ms: 1_764_000_000_000, seq: 1284 };
});

const create = (headers: Readonly<Record<string, string>>, payload?: object) =>
  service.inject({
    method: 'POST',
    url: '/api/v1/session/stream',
    headers: { host: 'widgets.example', ...headers },
    ...(payload === undefined ? {} : { payload }),
  });

describe('POST /api/v1/session/stream', () => {
  test('returns 201 with a new token each time, stores only its digest and logs no token', async () => {
    const viewer = await service.signedIn('viewer');
    const response = await create(viewer.headers);
    expect(response.statusCode).toBe(201);
    const { token, ...rest } = response.json();
    expect(rest).toEqual({
      url: `http://widgets.example/api/v1/events/${token}`,
      cursor: 'k3f9.1764000000000.1284',
      expiresAt: expect.any(String),
    });
    expect(isWellFormedToken(token, 'wst')).toBe(true);
    const stored = await service.backend.personalStreams.get(sha256Hex(token));
    expect(stored).toEqual({
      tokenDigest: sha256Hex(token),
      userId: viewer.userId,
      sessionDigest: sha256Hex(viewer.sessionId),
      issuedAt: expect.any(Date),
      expiresAt: new Date(rest.expiresAt),
    });
    expect(service.logLines.join('')).not.toContain(token);
    expect((await create(viewer.headers, {})).json().token).not.toBe(token);
  });

  test('issues a stream for one hour, but not beyond the end of the session', async () => {
    const viewer = await service.signedIn('viewer');
    const lifetimes = await Promise.all([30 * minuteMs, 90 * minuteMs].map((ms) => lifetimeIn(viewer.userId, ms)));
    expect(lifetimes).toEqual([30 * minuteMs, 60 * minuteMs]);
  });

  test('returns a null cursor while the pod has no position', async () => {
    position = null;
    const viewer = await service.signedIn('viewer');
    expect((await create(viewer.headers)).json().cursor).toBeNull();
  });
});

test('POST /api/v1/session/stream: returns 400 unknown-field for a filter', async () => {
  const viewer = await service.signedIn('viewer');
  const errors = [{ pointer: '#/filter', code: 'unknown-field' }];
  const response = await create(viewer.headers, { filter: null });
  expectProblem(response, { status: 400, code: 'invalid-request', errors });
});

/** The lifetime, in milliseconds, of a personal stream that is created in a session of `sessionLifetimeMs`. */
async function lifetimeIn(userId: string, sessionLifetimeMs: number): Promise<number> {
  const sessionId = await startSession(service.backend, userId, { clock, sessionLifetimeMs });
  const headers = { cookie: `service_console=${sessionId}`, 'x-csrf-token': computeCsrfToken(sessionId) };
  return Date.parse((await create(headers)).json().expiresAt) - clock.now().getTime();
}
