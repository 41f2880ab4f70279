import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { whereTokenIsValid } from '@widget-service/shared/entities/grant.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { grantKinds } from '../../drivers/app/grant-kinds.ts';
import { openAppWithWatchedControlLog } from '../../drivers/app/watched-control-log.ts';
import { createManualClock } from '../../drivers/tools/manual-clock.ts';

describe('update', async () => {
  const { service, control } = await openAppWithWatchedControlLog();
  const admin = await service.signedIn('admin');

  afterAll(() => service.close());

  describe.each(grantKinds)('PATCH $path/{id}', ({ path, kind, selectStore, defaults, changes }) => {
    const update = (id: string, payload: unknown, headers: Readonly<Record<string, string>> = admin.headers) =>
      service.patch(`${path}/${id}`, JSON.stringify(payload), { ...headers, 'content-type': 'application/json' });
    const create = async (payload: object = { name: 'mine' }) => {
      const { token: _, url: __, ...grant } = (await admin.post(path, payload)).json();
      return grant;
    };

    test('returns 200 and changes only the given member; the token stays the same', async () => {
      const before = await create();
      const { token } = (await selectStore(service.backend).get(before.id)) ?? {};
      let expected = before;
      for (const [name, value] of Object.entries(changes)) {
        expected = { ...expected, [name]: value };
        const response = await update(before.id, { [name]: value });
        expect(response.statusCode).toBe(200);
        expect(response.json()).toEqual(expected);
      }
      const read = await admin.get(`${path}/${before.id.toUpperCase()}`);
      expect(read.json()).toEqual(expected);
      expect(await selectStore(service.backend).get(before.id)).toMatchObject({ token, previousToken: null });
    });

    test('returns 200 and resets a member that is null to its default', async () => {
      const before = await create(changes);
      const nulls = Object.fromEntries(Object.keys(changes).map((name) => [name, null]));
      const response = await update(before.id, { ...nulls, name: 'mine' });
      expect(response.json()).toEqual({ ...before, ...defaults, expiresAt: null, name: 'mine' });
    });

    test('returns 200 and changes nothing for an empty object', async () => {
      const before = await create(changes);
      const response = await update(before.id, {});
      expect([response.statusCode, response.json()]).toEqual([200, before]);
    });

    test('announces the change to every pod', async () => {
      const { id } = await create();
      await update(id, { name: 'other' });
      expect(control.announced).toContainEqual({ kind, id, change: 'changed' });
    });

    test('returns 503 while the control log is unavailable; the repeated request announces the change', async () => {
      const before = await create();
      control.isUnavailable = true;
      expectProblem(await update(before.id, { name: 'other' }), { status: 503, code: 'unavailable' });
      control.isUnavailable = false;
      const response = await update(before.id, { name: 'other' });
      expect([response.statusCode, response.json()]).toEqual([200, { ...before, name: 'other' }]);
      expect(control.announced).toContainEqual({ kind, id: before.id, change: 'changed' });
    });
  });
});

describe('rotate', async () => {
  const clock = createManualClock();

  const { service, control } = await openAppWithWatchedControlLog({ clock });
  const admin = await service.signedIn('admin');

  afterAll(() => service.close());

  const timeIn = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000);

  describe.each(grantKinds)('POST $path/{id}/rotate', ({ path, kind, prefix, buildPath, selectStore, changes }) => {
    const rotate = (id: string, payload?: object | string, headers: Readonly<Record<string, string>> = admin.headers) =>
      service.post(`${path}/${id}/rotate`, payload, { host: 'widgets.example', ...headers });
    const create = async (payload: object = { name: 'mine' }) => (await admin.post(path, payload)).json();
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
      const read = await admin.get(`${path}/${before.id}`);
      const previousExpiresAt = timeIn(300).toISOString();
      expect(read.json()).toEqual({ ...before, tokenIssuedAt: clock.now().toISOString(), previousExpiresAt });
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
      expect(await selectStore(service.backend).find(...whereTokenIsValid(sha256Hex(first), new Date()))).toBeNull();
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
      expect(await selectStore(service.backend).find(...whereTokenIsValid(sha256Hex(token), new Date()))).toBeNull();
      expect((await rotate(id, { overlapSeconds: 0 })).statusCode).toBe(200);
    });
  });
});

describe('end the previous token', async () => {
  const { service, control } = await openAppWithWatchedControlLog();
  const admin = await service.signedIn('admin');

  afterAll(() => service.close());

  describe.each(grantKinds)('DELETE $path/{id}/previous-token', ({ path, kind, selectStore }) => {
    const end = (id: string, headers: Readonly<Record<string, string>> = admin.headers) =>
      service.delete(`${path}/${id}/previous-token`, headers);
    const post = async (url: string, payload: object) => (await admin.post(url, payload)).json();
    const createRotated = async () => {
      const { id, token: first } = await post(path, { name: 'mine' });
      const { token: second } = await post(`${path}/${id}/rotate`, { overlapSeconds: 86_400 });
      return { id: id as string, first: first as string, second: second as string };
    };
    const readStored = (id: string) => selectStore(service.backend).get(id);

    test('returns 204, ends the previous token, keeps the current one, and announces the change', async () => {
      const { id, first, second } = await createRotated();
      const before = await readStored(id);
      control.announced.length = 0;
      const response = await end(id);
      expect([response.statusCode, response.body]).toEqual([204, '']);
      expect(await readStored(id)).toEqual({ ...before, previousToken: null });
      expect(before?.token.digest).toBe(sha256Hex(second));
      expect(await selectStore(service.backend).find(...whereTokenIsValid(sha256Hex(first), new Date()))).toBeNull();
      expect(control.announced).toEqual([{ kind, id, change: 'changed' }]);
      const read = await admin.get(`${path}/${id}`);
      expect(read.json().previousExpiresAt).toBeNull();
    });

    test('returns 204 without a previous token, and 404 without the grant', async () => {
      const { id } = await post(path, { name: 'mine' });
      expect((await end(id)).statusCode).toBe(204);
      await admin.delete(`${path}/${id}`);
      expectProblem(await end(id), { status: 404, code: 'not-found' });
      expectProblem(await end('x'), { status: 404, code: 'not-found' });
    });

    test('returns 503 while the control log is unavailable; the repeated request announces the end', async () => {
      const { id } = await createRotated();
      control.isUnavailable = true;
      expectProblem(await end(id), { status: 503, code: 'unavailable' });
      control.isUnavailable = false;
      control.announced.length = 0;
      expect((await end(id)).statusCode).toBe(204);
      expect(control.announced).toEqual([{ kind, id, change: 'changed' }]);
    });
  });
});

describe('delete', async () => {
  const { service, control } = await openAppWithWatchedControlLog();
  const admin = await service.signedIn('admin');

  afterAll(() => service.close());

  describe.each(grantKinds)('DELETE $path/{id}', ({ path, kind, selectStore }) => {
    const remove = (id: string, headers: Readonly<Record<string, string>> = admin.headers) =>
      service.delete(`${path}/${id}`, headers);
    const create = async () => {
      const payload = { name: 'mine' };
      return (await admin.post(path, payload)).json();
    };

    test('returns 204, announces the revocation to every pod, and returns 404 from then on', async () => {
      const [{ id }, other] = [await create(), await create()];
      const response = await remove(id);
      expect([response.statusCode, response.body]).toEqual([204, '']);
      expect(control.announced.filter((entry) => entry.id === id)).toEqual([{ kind, id, change: 'revoked' }]);
      const read = await admin.get(`${path}/${id}`);
      expectProblem(read, { status: 404, code: 'not-found' });
      expectProblem(await remove(id), { status: 404, code: 'not-found' });
      expect(await selectStore(service.backend).get(id)).toBeNull();
      expect(await selectStore(service.backend).get(other.id)).not.toBeNull();
    });

    test('returns 204 for a JSON content type without a body', async () => {
      const { id } = await create();
      expect((await remove(id, { ...admin.headers, 'content-type': 'application/json' })).statusCode).toBe(204);
    });

    test('returns 503 while the control log is unavailable; the repeated request announces the revocation', async () => {
      const { id } = await create();
      control.isUnavailable = true;
      expectProblem(await remove(id), { status: 503, code: 'unavailable' });
      expect(await selectStore(service.backend).get(id)).toBeNull();
      expectProblem(await remove(id), { status: 503, code: 'unavailable' });
      control.isUnavailable = false;
      expectProblem(await remove(id), { status: 404, code: 'not-found' });
      expect(control.announced).toContainEqual({ kind, id, change: 'revoked' });
    });
  });
});
