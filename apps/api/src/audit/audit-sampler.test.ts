import { randomUUID } from 'node:crypto';
import type { AuditEvent } from '@widget-service/shared/domain/audit-event.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AuditSampler } from './audit-sampler.ts';
import { buildAuditEvent } from './testing/build-audit-event.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openSampler() {
  const listed: AuditEvent[] = [];
  const sampler = new AuditSampler({ list: (event) => void listed.push(event), clock: systemClock });
  const countAll = () => listed.reduce((sum, { unlisted }) => sum + 1 + unlisted, 0);
  return { sampler, listed, countAll };
}

const fromAddress = (index: number) => buildAuditEvent({ clientAddress: `198.51.${index >> 8}.${index & 255}` });

describe('AuditSampler', () => {
  test('lists the first event of a kind at once', () => {
    const { sampler, listed } = openSampler();
    const event = buildAuditEvent();
    sampler.sample(event);
    expect(listed).toEqual([event]);
  });

  test('counts further events of the kind for a minute, then lists one for them all', async () => {
    const { sampler, listed } = openSampler();
    const [first, second, third] = [buildAuditEvent(), buildAuditEvent(), buildAuditEvent()];
    for (const event of [first, second, third]) sampler.sample(event);
    await vi.advanceTimersByTimeAsync(58_000);
    expect(listed).toEqual([first]);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(listed).toEqual([first, { ...second, unlisted: 1 }]);
    await vi.advanceTimersByTimeAsync(120_000);
    const later = buildAuditEvent();
    sampler.sample(later);
    expect(listed.at(-1)).toEqual(later);
  });

  test.each<[string, Partial<AuditEvent>]>([
    ['action', { action: 'access.refused' }],
    ['code', { code: 'rate-limited' }],
    ['actor', { actor: { kind: 'user', id: 'U' } }],
    ['target', { target: { kind: 'user', id: 'U' } }],
    ['address', { clientAddress: null }],
  ])('lists an event with another %s', (_, overrides) => {
    const { sampler, listed } = openSampler();
    sampler.sample(buildAuditEvent());
    sampler.sample(buildAuditEvent(overrides));
    expect(listed).toHaveLength(2);
  });

  test('counts events with another e-mail: a flood could name a new one each time', () => {
    const { sampler, listed } = openSampler();
    sampler.sample(buildAuditEvent());
    sampler.sample(buildAuditEvent({ emailHmac: 'b'.repeat(64) }));
    expect(listed).toHaveLength(1);
  });

  test('lists about 200 of a flood from many addresses, and counts each of the others', async () => {
    const { sampler, listed, countAll } = openSampler();
    for (let index = 0; index < 20_000; index += 1) sampler.sample(fromAddress(index));
    expect(listed).toHaveLength(201);
    expect(listed.at(-1)).toMatchObject({ clientAddress: null, emailHmac: null, requestId: null });
    await vi.advanceTimersByTimeAsync(62_000);
    expect(countAll()).toBe(20_000);
    expect(listed).toHaveLength(202);
  });

  test('lists at most 13 a minute of a flood that does not end, after the first 200', async () => {
    const { sampler, listed, countAll } = openSampler();
    let sampled = 0;
    for (let seconds = 0; seconds < 120 * 60; seconds += 20) {
      for (let index = 0; index < 500; index += 1) sampler.sample(fromAddress(index));
      sampled += 500;
      await vi.advanceTimersByTimeAsync(20_000);
    }
    await vi.advanceTimersByTimeAsync(180_000);
    expect(countAll()).toBe(sampled);
    expect(listed.length).toBeLessThan(200 + 123 * 13);
  });

  test('lists the refusal of a known user during an anonymous flood', () => {
    const { sampler, listed } = openSampler();
    for (let index = 0; index < 1_000; index += 1) sampler.sample(fromAddress(index));
    const known = buildAuditEvent({ action: 'access.refused', actor: { kind: 'user', id: randomUUID() } });
    sampler.sample(known);
    expect(listed.at(-1)).toEqual(known);
  });

  test('lists a change that is repeated for half an hour once a minute, whole, whatever is refused meanwhile', async () => {
    const { sampler, listed, countAll } = openSampler();
    const id = randomUUID();
    const own = { actor: { kind: 'user', id }, target: { kind: 'user', id } } as const;
    const aChange = () =>
      buildAuditEvent({ ...own, action: 'personal-stream.issued', outcome: 'succeeded', code: null });
    const refuse = (index: number) =>
      sampler.sample({ ...fromAddress(index), actor: own.actor, action: 'access.refused' });
    // The limit of what is listed is used up before, and each of its permits long before a minute of the change ends.
    for (let index = 0; index < 300; index += 1) refuse(index);
    await vi.advanceTimersByTimeAsync(2_500);
    expect(sampler.countRepetition(aChange())).toBe(false);
    for (let index = 0; index < 18_000; index += 1) {
      expect(sampler.countRepetition(aChange())).toBe(true);
      refuse(300 + index);
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(62_000);
    const changes = listed.filter(({ action }) => action === 'personal-stream.issued');
    expect(changes.length).toBeGreaterThanOrEqual(29);
    expect(changes.length).toBeLessThanOrEqual(31);
    expect(changes.every(({ target, clientAddress }) => target?.id === id && clientAddress !== null)).toBe(true);
    expect(changes.reduce((sum, { unlisted }) => sum + 1 + unlisted, 0)).toBe(18_000);
    expect(countAll()).toBe(36_300);
  });

  test('keeps the target of ended streams apart when there are too many', () => {
    const { sampler, listed } = openSampler();
    const [first, second] = [randomUUID(), randomUUID()];
    const end = (id: string, index: number) =>
      sampler.sample({
        ...fromAddress(index),
        action: 'stream.ended',
        outcome: 'succeeded',
        code: null,
        actor: { kind: 'system', id: null },
        target: { kind: 'subscription', id },
      });
    for (let index = 0; index < 300; index += 1) end(first, index);
    end(second, 1);
    sampler.close();
    const count = (id: string) =>
      listed.filter(({ target }) => target?.id === id).reduce((sum, { unlisted }) => sum + 1 + unlisted, 0);
    expect([count(first), count(second)]).toEqual([300, 1]);
  });

  test('lists what it has only counted when it closes', () => {
    const { sampler, countAll } = openSampler();
    for (let index = 0; index < 5; index += 1) sampler.sample(buildAuditEvent());
    sampler.close();
    expect(countAll()).toBe(5);
  });
});
