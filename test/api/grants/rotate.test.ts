import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { grantKinds } from '../../drivers/app/grant-kinds.ts';
import type { TestApp, TestCaller } from '../../drivers/app/test-app.ts';
import { openAppWithWatchedControlLog, type WatchedControlLog } from '../../drivers/app/watched-control-log.ts';
import { createManualClock } from '../../drivers/tools/manual-clock.ts';

const clock = createManualClock();
let service: TestApp;
let admin: TestCaller;
let control: WatchedControlLog;
beforeAll(async () => {
  ({ service, control } = await openAppWithWatchedControlLog({ clock }));
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const timeIn = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000);

describe.each(grantKinds)('POST $path/{id}/rotate', ({ path, kind, prefix, buildPath, selectStore, changes }) => {
  const rotate = (id: string, payload?: object | string, headers: Readonly<Record<string, string>> = admin.headers) =>
    service.inject({
      method: 'POST',
      url: `${path}/${id}/rotate`,
      headers: { host: 'widgets.example', ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
  const create = async (payload: object = { name: 'mine' }) =>
    (await service.inject({ method: 'POST', url: path, headers: admin.headers, payload })).json();
  const readStored = (id: string) => selectStore(service.backend).get(id);

  test('returns a new token, keeps the previous one valid for 300 s, and announces the change', async () => {
    const { token: previousToken, url: _, ...before } = await create(changes);
    clock.advance(1_000);
    const response = await rotate(before.id);
    expect(response.statusCode).toBe(200);
    const { token, ...rest } = response.json();
    expect(rest).toEqual({
      ...before,
      tokenIssuedAt: clock.now().toISOString(),
      ...(buildPath === null ? {} : { url: `http://widgets.example${buildPath(token)}` }),
      previousExpiresAt: timeIn(300).toISOString(),
      ...(kind === 'integration' ? { previousSignature: before.signature } : {}),
    });
    expect(isWellFormedToken(token, prefix)).toBe(true);
    expect(token).not.toBe(previousToken);
    expect(await readStored(before.id)).toMatchObject({
      token: { digest: sha256Hex(token), sealedSecret: null },
      previousToken: { digest: sha256Hex(previousToken), expiresAt: timeIn(300) },
    });
    expect(control.announced.filter(({ id }) => id === before.id)).toEqual([
      { kind, id: before.id, change: 'changed' },
    ]);
    expect(service.logLines.join('')).not.toContain(token);
    const read = await service.inject({
      method: 'GET',
      url: `${path}/${before.id}`,
      headers: { cookie: admin.cookie },
    });
    expect(read.json()).toEqual({ ...before, tokenIssuedAt: clock.now().toISOString() });
  });

  test.each([
    [undefined, 300],
    [{}, 300],
    ['null', 300],
    [{ overlapSeconds: null }, 300],
    [{ overlapSeconds: 1 }, 1],
    [{ overlapSeconds: 86_400 }, 86_400],
  ])('keeps the previous token valid for the requested overlap: %j for %i s', async (body, seconds) => {
    const { id } = await create();
    const headers = body === undefined ? admin.headers : { ...admin.headers, 'content-type': 'application/json' };
    const response = await rotate(id, body, headers);
    expect([response.statusCode, response.json().previousExpiresAt]).toEqual([200, timeIn(seconds).toISOString()]);
  });

  test('ends the previous token when the grant expires before the overlap ends', async () => {
    const { id } = await create({ name: 'mine', expiresAt: timeIn(60).toISOString() });
    const response = await rotate(id);
    expect([response.statusCode, response.json().previousExpiresAt]).toEqual([200, timeIn(60).toISOString()]);
  });

  test('treats an empty body with a JSON content type as no body', async () => {
    const { id } = await create();
    const response = await rotate(id, '', { ...admin.headers, 'content-type': 'application/json' });
    expect([response.statusCode, response.json().previousExpiresAt]).toEqual([200, timeIn(300).toISOString()]);
  });

  test('ends the previous token at once when overlapSeconds is 0', async () => {
    const { id } = await create();
    await rotate(id);
    const response = await rotate(id, { overlapSeconds: 0 });
    expect(response.json().previousExpiresAt).toBeNull();
    expect(await readStored(id)).toMatchObject({
      token: { digest: sha256Hex(response.json().token) },
      previousToken: null,
    });
  });

  test('keeps only the last replaced token valid after a second rotation', async () => {
    const { id, token: first } = await create();
    const { token: second } = (await rotate(id)).json();
    const { token: third } = (await rotate(id)).json();
    expect(await readStored(id)).toMatchObject({
      token: { digest: sha256Hex(third) },
      previousToken: { digest: sha256Hex(second) },
    });
    expect(await selectStore(service.backend).findByTokenDigest(sha256Hex(first))).toBeNull();
  });

  test('serializes simultaneous rotations', async () => {
    const { id } = await create();
    const responses = await Promise.all([rotate(id), rotate(id), rotate(id)]);
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    const digests = responses.map((response) => sha256Hex(response.json().token));
    const { token, previousToken } = (await readStored(id)) ?? {};
    expect(new Set(digests).size).toBe(3);
    expect(digests).toContain(token?.digest);
    expect(digests).toContain(previousToken?.digest);
  });

  test.each<[string, object, string, string]>([
    ['a negative overlap', { overlapSeconds: -1 }, '#/overlapSeconds', 'too-small'],
    ['an overlap of more than a day', { overlapSeconds: 86_401 }, '#/overlapSeconds', 'too-large'],
    ['an overlap of half a second', { overlapSeconds: 0.5 }, '#/overlapSeconds', 'type'],
    ['a string as overlap', { overlapSeconds: '1' }, '#/overlapSeconds', 'type'],
    ['an unknown field', { token: 'x' }, '#/token', 'unknown-field'],
  ])('returns 400 invalid-request for %s', async (_, body, pointer, code) => {
    const { id, token } = await create();
    expectProblem(await rotate(id, body), { status: 400, code: 'invalid-request', errors: [{ pointer, code }] });
    expect(await readStored(id)).toMatchObject({ token: { digest: sha256Hex(token) }, previousToken: null });
  });

  test('returns 403 for an editor, and without the CSRF token', async () => {
    const [{ id }, editor] = [await create(), await service.signedIn('editor')];
    expectProblem(await rotate(id, {}, editor.headers), { status: 403, code: 'permission-denied' });
    expectProblem(await rotate(id, {}, { cookie: admin.cookie }), { status: 403, code: 'csrf-token-invalid' });
  });

  test.each(['0197a0b0-0000-7000-8000-00000000abcd', 'x', '$where'])('returns 404 for the id %s', async (id) => {
    expectProblem(await rotate(id), { status: 404, code: 'not-found' });
  });

  test('returns 503 and leaves the tokens unchanged while the control log is unavailable', async () => {
    const { id, token: first } = await create();
    const { token: second } = (await rotate(id)).json();
    const before = await readStored(id);
    control.isUnavailable = true;
    expectProblem(await rotate(id), { status: 503, code: 'unavailable' });
    control.isUnavailable = false;
    expect(await readStored(id)).toEqual(before);
    expect(before?.previousToken?.digest).toBe(sha256Hex(first));
    await rotate(id);
    expect((await readStored(id))?.previousToken?.digest).toBe(sha256Hex(second));
  });

  test('returns 503 but ends the previous token when overlapSeconds is 0 and the control log is unavailable', async () => {
    const { id, token } = await create();
    control.isUnavailable = true;
    expectProblem(await rotate(id, { overlapSeconds: 0 }), { status: 503, code: 'unavailable' });
    control.isUnavailable = false;
    expect(await selectStore(service.backend).findByTokenDigest(sha256Hex(token))).toBeNull();
    expect((await rotate(id, { overlapSeconds: 0 })).statusCode).toBe(200);
  });
});
