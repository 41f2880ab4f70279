import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import { expect, test } from 'vitest';
import type { StreamHolder } from '../revocation/stream-entitlement.ts';
import { makeAdmitStream, refuseConnection } from './admit-stream.ts';

const subscription = (id: string): StreamHolder => ({ kind: 'subscription', id });
const session = (id: string, userId: string): StreamHolder => ({ kind: 'session', id, userId });

test('admits streams up to the limits per owner and per pod, and more after a release', () => {
  const admit = makeAdmitStream({ perOwner: 2, perPod: 3 });
  const first = admit(subscription('a'));
  admit(subscription('a'));
  expect(admit(subscription('a'))).toEqual({ status: 'refused', reason: 'too-many-connections' });
  admit(subscription('b'));
  expect(admit(subscription('b'))).toEqual({ status: 'refused', reason: 'overloaded' });
  if (first.status === 'admitted') first.release();
  expect(admit(subscription('b')).status).toBe('admitted');
  expect(admit(subscription('c'))).toEqual({ status: 'refused', reason: 'overloaded' });
});

test('lets an owner open all its streams twice at once, and then again every 10 s, but not without end', () => {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const admit = makeAdmitStream({ perOwner: 100, perPod: 1_000 }, clock);
  const openAndLeave = (count: number, id = 'a') => {
    let opened = 0;
    for (let index = 0; index < count; index += 1) {
      const admission = admit(subscription(id));
      if (admission.status === 'refused') expect(admission.reason).toBe('too-many-connections');
      else opened += 1;
      if (admission.status === 'admitted') admission.release();
    }
    return opened;
  };
  expect(openAndLeave(1_000)).toBe(200);
  expect(openAndLeave(100, 'b')).toBe(100);
  clock.nowMs += 10_000;
  expect(openAndLeave(1_000)).toBe(100);
});

test('counts the personal streams of one user together across sessions', () => {
  const admit = makeAdmitStream({ perOwner: 2, perPod: 10 });
  admit(session('s1', 'ann'));
  admit(session('s2', 'ann'));
  expect(admit(session('s3', 'ann'))).toEqual({ status: 'refused', reason: 'too-many-connections' });
  expect(admit(session('s4', 'bob')).status).toBe('admitted');
});

test.each([
  ['per-address', 'too-many-connections'],
  ['per-pod', 'overloaded'],
] as const)(
  'a connection that the limit %s refuses gets a stream that closes with %s, and is counted',
  async (limit, reason) => {
    const metrics = createMetrics();
    expect(refuseConnection(metrics, limit).toString()).toContain(`"reason":"${reason}"`);
    expect(await metrics.registry.metrics()).toContain(`widget_streams_refused_total{reason="${reason}"} 1\n`);
  },
);
