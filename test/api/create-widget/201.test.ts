import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const service = await openSharedApp();
const editor = await service.signedIn('editor');

const create = (payload: object | string, headers: Record<string, string> = {}) =>
  service.post('/api/v1/widgets', payload, { ...editor.headers, 'content-type': 'application/json', ...headers });

describe('POST /api/v1/widgets', () => {
  test('returns 201 with every field, defaults filled in, for a name alone', async () => {
    const response = await create({ name: 'lamp' });
    expect(response.statusCode).toBe(201);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    const body = response.json();
    expect(body).toEqual({
      id: expect.stringMatching(uuidV7),
      name: 'lamp',
      state: 'active',
      labels: [],
      owner: null,
      createdAt: expect.stringMatching(time),
      updatedAt: body.createdAt,
      retiredAt: null,
      lastEventAt: null,
      version: 1,
    });
    expect(response.headers.location).toBe(`widgets/${body.id}`);
    expect(response.headers['idempotent-replayed']).toBeUndefined();
    expect(response.headers['cache-control']).toBe('no-store');
  });

  test('returns 201 with normalised values when every field is given', async () => {
    const response = await create({
      name: '  lamp 💡 ',
      state: 'retired',
      labels: [' hall ', 'a', 'hall'],
      owner: { userId: '0197A0B0-0000-0000-0000-00000000ABCD', email: 'ann@localhost' },
    });
    expect(response.statusCode).toBe(201);
    const body = response.json();
    expect(body).toMatchObject({
      name: 'lamp 💡',
      state: 'retired',
      labels: ['hall', 'a'],
      owner: { userId: '0197a0b0-0000-0000-0000-00000000abcd', email: 'ann@localhost', notify: false },
      retiredAt: body.createdAt,
    });
  });

  test('uses the default for an optional member that is null', async () => {
    const response = await create({ name: 'x', state: null, labels: null, owner: null });
    expect(response.json()).toMatchObject({ state: 'active', labels: [], owner: null });
  });

  test('stores the creation event in the outbox of the widget', async () => {
    const inOneMinute = new Date(Date.now() + 60_000);
    const { id } = (await create({ name: 'to be published' })).json();
    const overdue = await service.backend.outboxes.findOverdue(inOneMinute, 1_000);
    expect(overdue.map(({ widgetId }) => widgetId)).toContain(id);
  });
});

describe('POST /api/v1/widgets with an Idempotency-Key', () => {
  test('returns the first response byte for byte when the request is repeated', async () => {
    const first = await create({ name: 'once' }, { 'idempotency-key': 'key-1' });
    const second = await create({ name: ' once ', state: 'active' }, { 'idempotency-key': '"key-1"' });
    expect(second.statusCode).toBe(201);
    expect(second.body).toBe(first.body);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.headers.location).toBe(first.headers.location);
  });

  test('creates one widget for fifty simultaneous requests with one key', async () => {
    const name = 'fifty at once';
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => create({ name }, { 'idempotency-key': 'key-50' })),
    );
    expect(new Set(responses.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    const widgets = await service.backend.widgets.list(
      { state: null, createdAtOrBefore: null },
      { offset: 0, limit: 200 },
    );
    expect(widgets.filter((widget) => widget?.name === name)).toHaveLength(1);
  });

  test('returns 409 idempotency-key-reused when the key is reused with another body', async () => {
    const key = { 'idempotency-key': 'reused' };
    expect((await create({ name: 'first' }, key)).statusCode).toBe(201);
    expectProblem(await create({ name: 'second' }, key), { status: 409, code: 'idempotency-key-reused' });
  });

  test('does not consume the key of a rejected request, and two keys create two widgets with one name', async () => {
    expect((await create({ name: '' }, { 'idempotency-key': 'a' })).statusCode).toBe(400);
    for (const key of ['a', 'b'])
      expect((await create({ name: 'twin' }, { 'idempotency-key': key })).statusCode).toBe(201);
  });

  test('keeps the keys of two users apart', async () => {
    const other = await service.signedIn('editor');
    const mine = await create({ name: 'mine' }, { 'idempotency-key': 'shared' });
    const theirs = await create({ name: 'theirs' }, { 'idempotency-key': 'shared', ...other.headers });
    expect([mine.statusCode, theirs.statusCode]).toEqual([201, 201]);
    expect(theirs.json().name).toBe('theirs');
  });
});
