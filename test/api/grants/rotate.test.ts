import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDrivenClock } from '../../drivers/driven-clock.ts';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { grantKinds } from '../../drivers/grant-kinds.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';
import { type WatchedControl, watchControl } from '../../drivers/watched-control.ts';

const clock = createDrivenClock();
let service: TestApp;
let admin: TestCaller;
let control: WatchedControl;
beforeAll(async () => {
  service = await openTestApp({
    clock,
    replace: (real) => {
      control = watchControl(real.control);
      return { control };
    },
  });
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const inSeconds = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000);

describe.each(grantKinds)('POST $path/{id}/rotate', ({ path, kind, prefix, pathOf, storeOf, changes }) => {
  const rotate = (id: string, payload?: object | string, headers: Readonly<Record<string, string>> = admin.headers) =>
    service.inject({
      method: 'POST',
      url: `${path}/${id}/rotate`,
      headers: { host: 'widgets.example', ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
  const create = async (payload: object = { name: 'mine' }) =>
    (await service.inject({ method: 'POST', url: path, headers: admin.headers, payload })).json();
  const stored = (id: string) => storeOf(service.backend).get(id);

  test('200: another token, shown this once, and the old one for 300 seconds more; every pod is told', async () => {
    const { token: old, url: _, ...before } = await create(changes);
    const response = await rotate(before.id);
    expect(response.statusCode).toBe(200);
    const { token, ...rest } = response.json();
    expect(rest).toEqual({
      ...before,
      ...(pathOf === null ? {} : { url: `http://widgets.example${pathOf(token)}` }),
      previousExpiresAt: inSeconds(300).toISOString(),
    });
    expect(isWellFormedToken(token, prefix)).toBe(true);
    expect(token).not.toBe(old);
    expect(await stored(before.id)).toMatchObject({
      token: { digest: sha256Hex(token), sealedSecret: null },
      previousToken: { digest: sha256Hex(old), expiresAt: inSeconds(300) },
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
    expect(read.json()).toEqual(before);
  });

  test.each([
    [undefined, 300],
    [{}, 300],
    ['null', 300],
    [{ overlapSeconds: null }, 300],
    [{ overlapSeconds: 1 }, 1],
    [{ overlapSeconds: 86_400 }, 86_400],
  ])('200: %j keeps the old one for %i seconds', async (body, seconds) => {
    const { id } = await create();
    const headers = body === undefined ? admin.headers : { ...admin.headers, 'content-type': 'application/json' };
    const response = await rotate(id, body, headers);
    expect([response.statusCode, response.json().previousExpiresAt]).toEqual([200, inSeconds(seconds).toISOString()]);
  });

  test('200: where the whole ends sooner, the old one does', async () => {
    const { id } = await create({ name: 'mine', expiresAt: inSeconds(60).toISOString() });
    const response = await rotate(id);
    expect([response.statusCode, response.json().previousExpiresAt]).toEqual([200, inSeconds(60).toISOString()]);
  });

  test('200: an empty body of JSON is none', async () => {
    const { id } = await create();
    const response = await rotate(id, '', { ...admin.headers, 'content-type': 'application/json' });
    expect([response.statusCode, response.json().previousExpiresAt]).toEqual([200, inSeconds(300).toISOString()]);
  });

  test('200: without an overlap the old one ends at once, and one of an earlier rotation with it', async () => {
    const { id } = await create();
    await rotate(id);
    const response = await rotate(id, { overlapSeconds: 0 });
    expect(response.json().previousExpiresAt).toBeNull();
    expect(await stored(id)).toMatchObject({
      token: { digest: sha256Hex(response.json().token) },
      previousToken: null,
    });
  });

  test('200: a further rotation ends the one before the last', async () => {
    const { id, token: first } = await create();
    const { token: second } = (await rotate(id)).json();
    const { token: third } = (await rotate(id)).json();
    expect(await stored(id)).toMatchObject({
      token: { digest: sha256Hex(third) },
      previousToken: { digest: sha256Hex(second) },
    });
    expect(await storeOf(service.backend).findByTokenDigest(sha256Hex(first))).toBeNull();
  });

  test('200: rotations at the same time follow one another', async () => {
    const { id } = await create();
    const answers = await Promise.all([rotate(id), rotate(id), rotate(id)]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    const digests = answers.map((each) => sha256Hex(each.json().token));
    const { token, previousToken } = (await stored(id)) ?? {};
    expect(new Set(digests).size).toBe(3);
    expect(digests).toContain(token?.digest);
    expect(digests).toContain(previousToken?.digest);
  });

  test.each<[string, object, string, string]>([
    ['a negative overlap', { overlapSeconds: -1 }, '#/overlapSeconds', 'too-small'],
    ['an overlap over a day', { overlapSeconds: 86_401 }, '#/overlapSeconds', 'too-large'],
    ['half a second', { overlapSeconds: 0.5 }, '#/overlapSeconds', 'type'],
    ['a text', { overlapSeconds: '1' }, '#/overlapSeconds', 'type'],
    ['what is none of it', { token: 'x' }, '#/token', 'unknown-field'],
  ])('400: %s', async (_, body, pointer, code) => {
    const { id, token } = await create();
    expectProblem(await rotate(id, body), { status: 400, code: 'invalid-request', errors: [{ pointer, code }] });
    expect(await stored(id)).toMatchObject({ token: { digest: sha256Hex(token) }, previousToken: null });
  });

  test('403: an editor may not', async () => {
    const [{ id }, editor] = [await create(), await service.signedIn('editor')];
    expectProblem(await rotate(id, {}, editor.headers), { status: 403, code: 'permission-denied' });
    expectProblem(await rotate(id, {}, { cookie: admin.cookie }), { status: 403, code: 'csrf-token-invalid' });
  });

  test.each(['0197a0b0-0000-7000-8000-00000000abcd', 'x', '$where'])('404: %s', async (id) => {
    expectProblem(await rotate(id), { status: 404, code: 'not-found' });
  });

  test('503: the pods could not be told, so the token in use is still the one to rotate', async () => {
    const { id, token: first } = await create();
    const { token: second } = (await rotate(id)).json();
    const before = await stored(id);
    control.isAway = true;
    expectProblem(await rotate(id), { status: 503, code: 'unavailable' });
    control.isAway = false;
    expect(await stored(id)).toEqual(before);
    expect(before?.previousToken?.digest).toBe(sha256Hex(first));
    await rotate(id);
    expect((await stored(id))?.previousToken?.digest).toBe(sha256Hex(second));
  });

  test('503: a token that was to end at once has ended, though the pods could not be told', async () => {
    const { id, token } = await create();
    control.isAway = true;
    expectProblem(await rotate(id, { overlapSeconds: 0 }), { status: 503, code: 'unavailable' });
    control.isAway = false;
    expect(await storeOf(service.backend).findByTokenDigest(sha256Hex(token))).toBeNull();
    expect((await rotate(id, { overlapSeconds: 0 })).statusCode).toBe(200);
  });
});
