import { describe, expect, test } from 'vitest';
import { aSample } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import {
  github,
  integrationsPath,
  makeSourceClient,
  secret,
  unsigned,
  withScheme,
} from '../../drivers/app/source-client.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

const service = await openSharedApp({ BODY_LIMIT_BYTES: 131_072 });
const { headers } = await service.signedIn('admin');
const { create, createGitHub, post, send } = makeSourceClient(service, headers);

interface Samples {
  readonly keptUntil: string | null;
  readonly items: readonly {
    readonly code: string;
    readonly headers: Record<string, string[]>;
    readonly withheldHeaders: string[];
    readonly body: string;
  }[];
}
const samplesPath = (id: string) => `${integrationsPath}/${id}/samples`;
const list = async (id: string): Promise<Samples> => (await send('GET', samplesPath(id))).json();
const keep = (id: string, body: object = {}) => send('PUT', samplesPath(id), body);
const remove = (id: string) => service.delete(samplesPath(id), headers);
const postTo = (token: string, payload: string | Buffer, more: Record<string, string> = {}) =>
  service.post(`/api/v1/events/hooks/${token}`, payload, { 'content-type': 'application/json', ...more });

async function createKept(source: object): Promise<{ id: string; token: string }> {
  const { id, token } = (await create(source)).json() as { id: string; token: string };
  expect((await keep(id)).statusCode).toBe(200);
  return { id, token };
}

/** Waits for the first sample: it is written after the answer. */
async function findSample(id: string): Promise<Samples['items'][number]> {
  await eventually(async () => (await list(id)).items.length > 0, 'a sample is kept');
  const [sample] = (await list(id)).items;
  if (sample === undefined) throw new Error('unreachable: one is kept');
  return sample;
}

// Each one waits for a sample of its own.
describe.concurrent('samples', () => {
  test('are kept of no refused request unless somebody asked for it, for a minute to a day', async () => {
    const { id, hookPath } = await createGitHub();
    expect((await post(hookPath, '{}', { signedWith: 'wrong' })).statusCode).toBe(400);
    for (const keepForSeconds of [59, 86_401])
      expectProblem(await keep(id, { keepForSeconds }), { status: 400, code: 'invalid-request' });
    expect(await list(id)).toEqual({ keptUntil: null, items: [] });
    const { keptUntil, items } = (await keep(id, { keepForSeconds: 120 })).json();
    const remainingMs = Date.parse(keptUntil) - Date.now();
    expect([items, remainingMs > 60_000, remainingMs <= 120_000]).toEqual([[], true, true]);
  });

  test('are what was sent and why it was refused, and a preview understands them', async () => {
    const { id, token } = await createKept({ ...github, mapping: { kind: { from: '/action' } } });
    const body = '{"action":"exploded","number":1.10,"text":"Ünï"}';
    const refused = await post(`/api/v1/events/hooks/${token}`, body, { 'x-github-event': 'repository' });
    expectProblem(refused, { status: 400, code: 'hook-not-mappable' });
    const sample = await findSample(id);
    expect(sample).toMatchObject({
      requestId: refused.json().requestId,
      receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      code: 'hook-not-mappable',
      refusal: { step: 'kind', reason: expect.stringMatching(/./), pointer: '#/action' },
      withheldHeaders: [],
      body,
    });
    expect(sample.headers).toMatchObject({ 'x-github-event': ['repository'], 'content-type': ['application/json'] });
    const mended = { kind: { from: '/action', values: { exploded: 'retired' } } };
    const preview = await send('POST', `${integrationsPath}/preview`, {
      source: { ...github, mapping: mended },
      headers: sample.headers,
      body: sample.body,
    });
    expect(preview.json()).toMatchObject({
      outcome: 'hook',
      signature: { result: 'valid' },
      hook: { kind: 'retired', payload: { action: 'exploded', text: 'Ünï' } },
    });
  });

  test('say why a signature is not valid', async () => {
    const { id, token } = await createKept(github);
    await post(`/api/v1/events/hooks/${token}`, '{}', { signedWith: 'another secret' });
    expect(await findSample(id)).toMatchObject({
      code: 'invalid-hook-signature',
      refusal: { step: 'signature', reason: expect.stringMatching(/./) },
    });
  });

  test.each([
    ['a token', withScheme({ algorithm: 'token', header: 'x-hello' }), 'x-hello', 'a secret with a typo'],
    ['a password', withScheme({ algorithm: 'basic' }, 'webhooks:a password'), 'authorization', 'Basic d2ViaG9va3M='],
    ['a key', unsigned({}, { from: '/none' }), 'x-api-key', 'a secret with a typo'],
    ['a token of a proxy', unsigned({}, { from: '/none' }), 'cf-access-jwt-assertion', 'eyJhbGciOiJub25lIn0'],
    ['an address', unsigned({}, { from: '/none' }), 'x-forwarded-for', '2001:db8:1:2:3:4:5:6'],
  ])('hold no secret of the sender: %s', async (_, source, name, value) => {
    const { id, token } = await createKept(source);
    expect((await postTo(token, '{}', { [name]: value })).statusCode).toBe(400);
    const sample = await findSample(id);
    expect(sample.withheldHeaders).toEqual([name]);
    const shown = JSON.stringify(await list(id));
    for (const text of [value, token, secret]) expect(shown).not.toContain(text);
  });

  test('are none of accepted and ignored requests, large bodies, other bytes, and compressed ones', async () => {
    const source = unsigned({ only: [{ from: '/skip', in: ['no'] }] }, { from: '/kind' });
    const { id, token } = await createKept(source);
    expect((await postTo(token, '{"skip":"no","kind":"updated"}')).statusCode).toBe(202);
    expect((await postTo(token, '{"skip":"yes"}')).statusCode).toBe(202);
    const large = JSON.stringify({ skip: 'no', kind: 'a'.repeat(65_536) });
    expectProblem(await postTo(token, large), { status: 400, code: 'hook-not-mappable' });
    const compressed = await postTo(token, '{}', { 'content-encoding': 'gzip' });
    expectProblem(compressed, { status: 400, code: 'unsupported-media-type' });
    // The only one of these that is kept.
    expectProblem(await postTo(token, 'no JSON'), { status: 400, code: 'invalid-json' });
    await findSample(id);
    expect((await list(id)).items.map(({ body }) => body)).toEqual(['no JSON']);
  });

  test('are deleted by one call, which also keeps no more', async () => {
    const { id, token } = await createKept(github);
    await post(`/api/v1/events/hooks/${token}`, '{}', { signedWith: 'wrong' });
    await findSample(id);
    expect((await remove(id)).statusCode).toBe(204);
    expect(await list(id)).toEqual({ keptUntil: null, items: [] });
    expect((await remove(id)).statusCode).toBe(204);
  });

  test('end with their integration, and so do its refusals', async () => {
    const { id, token } = await createKept(github);
    await post(`/api/v1/events/hooks/${token}`, '{}', { signedWith: 'wrong' });
    await findSample(id);
    const url = `${integrationsPath}/${id}`;
    expect((await service.delete(url, headers)).statusCode).toBe(204);
    const { backend } = service;
    // What is recorded after it has no effect: test/conformance/refused-requests.test.ts.
    expect(await backend.samples.count({ integrationId: id }, 1)).toBe(0);
    expect(await backend.refusals.count({ integrationId: id }, 1)).toBe(0);
  });

  test('are not kept of an integration that is deleted at the same moment', async () => {
    for (let times = 0; times < 10; times += 1) {
      const { id } = await createGitHub();
      const deletion = service.delete(`${integrationsPath}/${id}`, headers);
      const [kept, deleted] = await Promise.all([keep(id), deletion]);
      expect([[200, 404].includes(kept.statusCode), deleted.statusCode]).toEqual([true, 204]);
      expect(await service.backend.samples.count({ integrationId: id }, 1)).toBe(0);
      expect(await service.backend.integrations.get(id)).toBeNull();
    }
  });

  test('stay until a later end, but each at most a day', async () => {
    const { id: integrationId } = await createGitHub();
    const { samples } = service.backend;
    await keep(integrationId, { keepForSeconds: 60 });
    const [dayMs, hourMs, nowMs] = [86_400_000, 3_600_000, Date.now()];
    const expiresAt = new Date(nowMs + 60_000);
    const at = (ms: number) => aSample({ integrationId, refusedAt: new Date(nowMs + ms), expiresAt });
    const [old, recent] = [at(hourMs - dayMs), at(0)];
    for (const sample of [old, recent]) await samples.insert(sample);
    const { keptUntil, items } = (await keep(integrationId, { keepForSeconds: 86_400 })).json();
    const ids = items.map(({ requestId }: { requestId: string }) => requestId);
    expect(ids).toEqual([recent.requestId, old.requestId]);
    expect((await samples.get(old.requestId))?.expiresAt).toEqual(new Date(nowMs + hourMs));
    const endsAt = (await samples.get(recent.requestId))?.expiresAt;
    expect([new Date(nowMs + dayMs), new Date(keptUntil)]).toContainEqual(endsAt);
    expect(endsAt?.getTime()).toBeLessThanOrEqual(nowMs + dayMs);
    await keep(integrationId, { keepForSeconds: 60 });
    const sooner = (await list(integrationId)).keptUntil ?? '';
    for (const { requestId } of [old, recent]) {
      expect((await samples.get(requestId))?.expiresAt).toEqual(new Date(sooner));
    }
  });

  test('are not shown after their end, and do not come back when samples are kept anew', async () => {
    const { id: integrationId } = await createGitHub();
    await keep(integrationId);
    const { samples, integrations } = service.backend;
    const over = aSample({ integrationId, expiresAt: new Date(Date.now() - 1) });
    const left = aSample({ integrationId });
    for (const sample of [over, left]) await samples.insert(sample);
    expect(await list(integrationId)).toMatchObject({ items: [{ requestId: left.requestId }] });
    await integrations.change(integrationId, () => ({ samplesKeptUntil: new Date(Date.now() - 1) }));
    expect(await list(integrationId)).toEqual({ keptUntil: null, items: [] });
    expect((await keep(integrationId)).json().items).toEqual([]);
  });

  test('belong to an integration with a source, and to those who may manage it', async () => {
    const { id } = (await create(null)).json() as { id: string };
    const missing = `${integrationsPath}/01a1fc9d-5f9c-7267-ab71-c602763bfae4/samples`;
    for (const url of [samplesPath(id), missing, `${integrationsPath}/x/samples`]) {
      expectProblem(await send('GET', url), { status: 404, code: 'not-found' });
      expectProblem(await send('PUT', url, {}), { status: 404, code: 'not-found' });
      expectProblem(await service.delete(url, headers), { status: 404, code: 'not-found' });
    }
    const { headers: ofEditor } = await service.signedIn('editor');
    const { id: withSource } = await createGitHub();
    const response = await service.get(samplesPath(withSource), ofEditor);
    expectProblem(response, { status: 403, code: 'permission-denied' });
  });
});
