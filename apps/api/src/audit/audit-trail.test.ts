import { randomUUID } from 'node:crypto';
import { UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';
import type { AuditEvent, StoredAuditEvent } from '@widget-service/shared/entities/audit-event.ts';
import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AuditTrail } from './audit-trail.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const hourMs = 3_600_000;

/** A trail over a store that keeps what it gets, unless `answer` throws or waits. */
function openTrail() {
  const state = { calls: [] as string[], stored: [] as StoredAuditEvent[], lines: [] as [string, string, object][] };
  const store = { answer: (_id: string): Promise<void> | void => undefined };
  const metrics = createMetrics();
  const log = (level: string) => (fields: object, message: string) => void state.lines.push([level, message, fields]);
  const trail = new AuditTrail({
    events: {
      insert: async (event) => {
        state.calls.push(event.id);
        await store.answer(event.id);
        const isNew = state.stored.every(({ id }) => id !== event.id);
        if (isNew) state.stored.push(event);
        return isNew;
      },
    },
    settings: { AUDIT_RETENTION_MS: hourMs },
    clock: systemClock,
    logger: { error: log('error'), warn: log('warn'), info: log('info') } as never,
    metrics,
  });
  const list = () => state.stored.map(({ expiresAt: _, ...event }) => event);
  const countLost = async () => (await metrics.auditEventsLost.get()).values[0]?.value ?? 0;
  const countAll = () => state.stored.reduce((sum, { unlisted }) => sum + 1 + unlisted, 0);
  return { trail, state, store, list, countLost, countAll };
}

/** A failed sign-in from an address. */
function anEvent(overrides: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id: randomUUID(),
    occurredAt: new Date(),
    action: 'session.failed',
    operation: 'example.session.create',
    outcome: 'refused',
    code: 'invalid-credentials',
    actor: { kind: 'anonymous', id: null },
    actorName: null,
    target: null,
    targetName: null,
    clientAddress: '198.51.100.7',
    emailHmac: 'a'.repeat(64),
    before: null,
    after: null,
    requestId: randomUUID(),
    unlisted: 0,
    ...overrides,
  };
}

const fromAddress = (index: number) => anEvent({ clientAddress: `198.51.${index >> 8}.${index & 255}` });
const [a, b, c] = [anEvent(), anEvent(), anEvent()];
const fail = () => {
  throw new UnavailableError('the store is down');
};

describe('AuditTrail.write', () => {
  test('resolves when the event is stored, with the end of its retention', async () => {
    const { trail, state } = openTrail();
    await trail.write(a, 100);
    expect(state.stored).toEqual([{ ...a, expiresAt: new Date(a.occurredAt.getTime() + hourMs) }]);
    expect(state.lines).toEqual([]);
  });

  test('resolves when the write fails, logs one error, and repeats the write every second until it succeeds', async () => {
    const { trail, state, store, list, countLost } = openTrail();
    store.answer = fail;
    await trail.write(a, 100);
    await vi.advanceTimersByTimeAsync(3_500);
    expect(state.calls).toEqual([a.id, a.id, a.id, a.id]);
    expect(state.lines.map(([level, message]) => [level, message])).toEqual([['error', 'audit.not_stored']]);
    store.answer = () => undefined;
    await trail.write(b, 100);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(list()).toEqual([b, a]);
    expect(state.lines.slice(1)).toEqual([['info', 'audit.stored_again', {}]]);
    expect(await countLost()).toBe(0);
    store.answer = fail;
    await trail.write(c, 100);
    expect(state.lines.at(-1)).toMatchObject(['error', 'audit.not_stored', {}]);
  });

  test('logs and counts an unstorable event once, and stores the others', async () => {
    const { trail, state, store, list, countLost } = openTrail();
    store.answer = async (id) => {
      if (id === b.id) throw new UnstorableError('too large');
    };
    await Promise.all([a, b, c].map((event) => trail.write(event, 100)));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(list()).toEqual([a, c]);
    expect(state.lines).toMatchObject([['error', 'audit.lost', { auditEvent: b }]]);
    expect(await countLost()).toBe(1);
  });

  test('loses the oldest when more than 10 000 wait, and logs each', async () => {
    const { trail, state, store, countLost } = openTrail();
    store.answer = () => new Promise(() => undefined);
    const events = Array.from({ length: 10_002 }, () => anEvent());
    for (const event of events) void trail.write(event, 60_000);
    expect(await countLost()).toBe(2);
    expect(state.lines).toMatchObject([
      ['error', 'audit.lost', { auditEvent: events[0] }],
      ['error', 'audit.lost', { auditEvent: events[1] }],
    ]);
  });

  test('writes all once more when it closes, and logs what it could not store', async () => {
    const { trail, state, store, countLost } = openTrail();
    store.answer = fail;
    const events = Array.from({ length: 250 }, () => anEvent());
    for (const event of events) await trail.write(event, 100);
    store.answer = () => undefined;
    await trail.close();
    expect(state.stored).toHaveLength(250);
    store.answer = fail;
    await trail.write(b, 100);
    await trail.close();
    expect(state.lines.at(-1)).toMatchObject(['error', 'audit.lost', { auditEvent: b }]);
    expect(await countLost()).toBe(1);
  });
});

describe('AuditTrail.sample', () => {
  test('lists the first event of a kind at once', () => {
    const { trail, state } = openTrail();
    trail.sample(a);
    expect(state.calls).toEqual([a.id]);
  });

  test('counts further events of the kind for a minute, then lists one for them all', async () => {
    const { trail, list } = openTrail();
    for (const event of [a, b, c]) trail.sample(event);
    await vi.advanceTimersByTimeAsync(58_000);
    expect(list()).toEqual([a]);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(list()).toEqual([a, { ...b, unlisted: 1 }]);
    await vi.advanceTimersByTimeAsync(120_000);
    const later = anEvent();
    trail.sample(later);
    await vi.advanceTimersByTimeAsync(0);
    expect(list().at(-1)).toEqual(later);
  });

  test.each<[string, Partial<AuditEvent>, number]>([
    ['action', { action: 'access.refused' }, 2],
    ['code', { code: 'rate-limited' }, 2],
    ['actor', { actor: { kind: 'user', id: 'U' } }, 2],
    ['target', { target: { kind: 'user', id: 'U' } }, 2],
    ['address', { clientAddress: null }, 2],
    // A flood could name a new one each time.
    ['e-mail, as one of the same kind,', { emailHmac: 'b'.repeat(64) }, 1],
  ])('lists or counts an event with another %s', (_, overrides, listed) => {
    const { trail, state } = openTrail();
    trail.sample(anEvent());
    trail.sample(anEvent(overrides));
    expect(state.calls).toHaveLength(listed);
  });

  test('lists about 200 of a flood from many addresses, and counts each of the others', async () => {
    const { trail, list, countAll } = openTrail();
    for (let index = 0; index < 20_000; index += 1) trail.sample(fromAddress(index));
    await vi.advanceTimersByTimeAsync(0);
    expect(list()).toHaveLength(201);
    expect(list().at(-1)).toMatchObject({ clientAddress: null, emailHmac: null, requestId: null });
    await vi.advanceTimersByTimeAsync(62_000);
    expect(countAll()).toBe(20_000);
    expect(list()).toHaveLength(202);
  });

  test('lists at most 13 a minute of a flood that does not end, after the first 200', async () => {
    const { trail, list, countAll } = openTrail();
    for (let seconds = 0; seconds < 120 * 60; seconds += 20) {
      for (let index = 0; index < 500; index += 1) trail.sample(fromAddress(index));
      await vi.advanceTimersByTimeAsync(20_000);
    }
    await vi.advanceTimersByTimeAsync(180_000);
    expect(countAll()).toBe(360 * 500);
    expect(list().length).toBeLessThan(200 + 123 * 13);
  });

  test('lists the refusal of a known user during an anonymous flood, with its address', async () => {
    const { trail, list } = openTrail();
    for (let index = 0; index < 1_000; index += 1) trail.sample(fromAddress(index));
    const known = anEvent({ action: 'access.refused', actor: { kind: 'user', id: randomUUID() } });
    trail.sample(known);
    await vi.advanceTimersByTimeAsync(0);
    expect(list().at(-1)).toEqual(known);
  });

  test('keeps the target of ended streams apart when there are too many', async () => {
    const { trail, list } = openTrail();
    const [first, second] = [randomUUID(), randomUUID()];
    const end = (id: string, index: number) =>
      trail.sample({
        ...fromAddress(index),
        action: 'stream.ended',
        outcome: 'succeeded',
        code: null,
        actor: { kind: 'system', id: null },
        target: { kind: 'subscription', id },
      });
    for (let index = 0; index < 300; index += 1) end(first, index);
    end(second, 1);
    await trail.close();
    const count = (id: string) =>
      list()
        .filter(({ target }) => target?.id === id)
        .reduce((sum, { unlisted }) => sum + 1 + unlisted, 0);
    expect([count(first), count(second)]).toEqual([300, 1]);
  });
});

test('a change that is repeated for half an hour is listed once a minute, whole, whatever is refused meanwhile', async () => {
  const { trail, list, countAll } = openTrail();
  const id = randomUUID();
  const own = { actor: { kind: 'user', id }, target: { kind: 'user', id } } as const;
  const aChange = () => anEvent({ ...own, action: 'password.changed', outcome: 'succeeded', code: null });
  const refuse = (index: number) => trail.sample({ ...fromAddress(index), actor: own.actor, action: 'access.refused' });
  // The limit of what is listed is used up before, and each of its permits long before a minute of the change ends.
  for (let index = 0; index < 300; index += 1) refuse(index);
  await vi.advanceTimersByTimeAsync(2_500);
  for (let index = 0; index < 18_000; index += 1) {
    await trail.writeFirst(aChange(), 100);
    refuse(300 + index);
    await vi.advanceTimersByTimeAsync(100);
  }
  await trail.close();
  const changes = list().filter(({ action }) => action === 'password.changed');
  expect(changes.length).toBeGreaterThanOrEqual(29);
  expect(changes.length).toBeLessThanOrEqual(32);
  expect(changes.every(({ target, clientAddress }) => target?.id === id && clientAddress !== null)).toBe(true);
  expect(changes.reduce((sum, { unlisted }) => sum + 1 + unlisted, 0)).toBe(18_000);
  expect(countAll()).toBe(36_300);
});
