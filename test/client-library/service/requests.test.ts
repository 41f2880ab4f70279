import { randomUUID } from 'node:crypto';
import { createClient } from '@widget-service/client/client.ts';
import { readAllPages } from '@widget-service/client/requests/list-pages.ts';
import { CookieJar } from '@widget-service/client/requests/service-fetch.ts';
import { describe, expect, it as test } from 'vitest';
import { testAdmin } from '../../drivers/app/console-client.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';

const service = await openSharedService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });

/** Keeps cookies as a browser does: for all tabs, out of their sight. */
function createBrowserFetch(): typeof fetch {
  const jar = new CookieJar();
  return async (input, init) => {
    const request = new Request(input, init);
    const cookie = jar.format();
    if (cookie !== null) request.headers.set('cookie', cookie);
    const response = await fetch(request);
    jar.update(response.headers);
    const headers = new Headers(response.headers);
    headers.delete('set-cookie');
    const body = response.status === 204 ? null : await response.arrayBuffer();
    return new Response(body, { status: response.status, headers });
  };
}

async function signIn() {
  const client = createClient({ baseUrl: service.url });
  await client.signIn(testAdmin);
  return client;
}

describe('a session', () => {
  test('keeps its cookie and CSRF token by itself', async () => {
    const client = createClient({ baseUrl: service.url });
    const session = await client.signIn(testAdmin);
    expect(session.user.email).toBe(testAdmin.email);
    expect((await client.getSession()).expiresAt).toBe(session.expiresAt);
    expect((await client.createWidget({ name: 'lamp' })).name).toBe('lamp');
    await client.signOut();
    await expect(client.getSession()).rejects.toMatchObject({ name: 'ProblemError', code: 'not-authenticated' });
  });

  test('goes on in another client with what a store has kept, until it is signed out', async () => {
    let kept: string | null = null;
    const saves: (string | null)[] = [];
    const sessionStore = {
      load: async () => kept,
      save: async (session: string | null) => {
        saves.push(session);
        kept = session;
      },
    };
    const first = createClient({ baseUrl: service.url, sessionStore });
    await first.signIn(testAdmin);
    await first.getSession();
    expect(saves).toHaveLength(1);
    const second = createClient({ baseUrl: service.url, sessionStore });
    expect((await second.createWidget({ name: 'lamp' })).name).toBe('lamp');
    expect((await second.getSession()).user.email).toBe(testAdmin.email);
    await second.signOut();
    expect(kept).toBeNull();
    const third = createClient({ baseUrl: service.url, sessionStore });
    await expect(third.getSession()).rejects.toMatchObject({ code: 'not-authenticated' });
  });

  test('goes on after a change of the password, with the new cookie and CSRF token, also in what a store has kept', async () => {
    const kim = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
    await (await signIn()).api.POST('/api/v1/users', { body: { ...kim, role: 'editor' } });
    let kept: string | null = null;
    const sessionStore = {
      load: () => kept,
      save: (session: string | null) => {
        kept = session;
      },
    };
    const sent: string[] = [];
    const countingFetch: typeof fetch = (input, init) => {
      const request = new Request(input, init);
      sent.push(`${request.method} ${new URL(request.url).pathname}`);
      return fetch(request);
    };
    const client = createClient({ baseUrl: service.url, sessionStore, fetch: countingFetch });
    await client.signIn(kim);
    const body = { currentPassword: kim.password, newPassword: 'incorrect donkey charger' };
    const session = await client.api.PUT('/api/v1/session/password', { body });
    expect(session.user).toMatchObject({ email: kim.email, mustChangePassword: false });
    sent.length = 0;
    expect((await client.createWidget({ name: 'lamp' })).name).toBe('lamp');
    expect(sent).toEqual(['POST /api/v1/widgets']);
    const later = createClient({ baseUrl: service.url, sessionStore });
    expect((await later.createWidget({ name: 'lamp' })).name).toBe('lamp');
  });

  test('fetches a new CSRF token after another tab has signed in again', async () => {
    const browserFetch = createBrowserFetch();
    const [tab, otherTab] = [1, 2].map(() => createClient({ baseUrl: service.url, fetch: browserFetch }));
    await tab?.signIn(testAdmin);
    await otherTab?.signIn(testAdmin);
    expect(await tab?.createWidget({ name: 'lamp' })).toMatchObject({ version: 1 });
  });

  test('fetches the CSRF token of a session that began before the page was loaded', async () => {
    const browserFetch = createBrowserFetch();
    await createClient({ baseUrl: service.url, fetch: browserFetch }).signIn(testAdmin);
    const reloaded = createClient({ baseUrl: service.url, fetch: browserFetch });
    expect(await reloaded.createWidget({ name: 'lamp' })).toMatchObject({ version: 1 });
  });
});

describe('createWidget', () => {
  test('creates one widget for one key', async () => {
    const client = await signIn();
    const create = () => client.createWidget({ name: 'one' }, { idempotencyKey: 'one key' });
    await expect(create()).rejects.toMatchObject({ code: 'invalid-idempotency-key' });
    const createOnce = () => client.createWidget({ name: 'one' }, { idempotencyKey: 'one-key' });
    const [first, second] = await Promise.all([createOnce(), createOnce()]);
    expect(first?.id).toBe(second?.id);
  });

  test('needs no session with a provision token', async () => {
    const admin = await signIn();
    const { token } = await admin.api.POST('/api/v1/provision-tokens', { body: { name: 'a script' } });
    const script = createClient({ baseUrl: service.url, provisionToken: token });
    expect((await script.createWidget({ name: 'bulb', labels: ['hall'] })).labels).toEqual(['hall']);
    await expect(script.getSession()).rejects.toMatchObject({ code: 'not-authenticated' });
  });

  test('names the mistakes of a refused widget', async () => {
    const client = await signIn();
    await expect(client.createWidget({ name: '' })).rejects.toMatchObject({
      name: 'ProblemError',
      code: 'invalid-request',
      status: 400,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      problem: { errors: [{ pointer: '#/name', code: 'too-short' }] },
    });
  });
});

describe('lists', () => {
  test('yields each widget once, newest first, and none that was created meanwhile', async () => {
    const client = await signIn();
    const created: string[] = [];
    for (let index = 0; index < 7; index += 1) created.push((await client.createWidget({ name: `w ${index}` })).id);
    const listed: string[] = [];
    for await (const { id } of client.listWidgets({ pageSize: 2 })) {
      listed.push(id);
      if (listed.length === 2) await client.createWidget({ name: 'later' });
    }
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.slice(0, 7)).toEqual(created.toReversed());
  });

  test('yields only widgets of a state', async () => {
    const client = await signIn();
    const { id } = await client.createWidget({ name: 'old', state: 'retired' });
    const states = new Set<string>();
    const ids: string[] = [];
    for await (const widget of client.listWidgets({ state: 'retired', pageSize: 1 })) {
      states.add(widget.state);
      ids.push(widget.id);
    }
    expect([...states]).toEqual(['retired']);
    expect(ids).toContain(id);
  });

  test('reads any other list page by page', async () => {
    const client = await signIn();
    for (const name of ['a', 'b', 'c']) await client.api.POST('/api/v1/subscriptions', { body: { name } });
    const names: string[] = [];
    const pages = readAllPages((page) =>
      client.api.GET('/api/v1/subscriptions', { params: { query: { page, pageSize: 2 } } }),
    );
    for await (const { name } of pages) names.push(name);
    expect(names).toEqual(expect.arrayContaining(['a', 'b', 'c']));
  });
});
