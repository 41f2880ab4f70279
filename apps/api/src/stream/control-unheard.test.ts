import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ControlLog } from '@widget-service/shared/ports/control-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ControlDeps, createControl } from './control.ts';
import { aRight } from './fake-hub.ts';
import { closingReasonIn, openFakeSink } from './fake-sink.ts';
import { neverHeard, openTestControl, type TestControl } from './test-control.ts';

let control: TestControl;
beforeEach(async () => {
  control = await openTestControl();
});
afterEach(() => control.close());

describe('while the log cannot be heard', () => {
  const deaf: Pick<ControlLog, 'openTail'> = {
    openTail: () => ({ next: () => Promise.reject(new UnavailableError('away')), close: async () => undefined }),
  };

  it('no token is served from memory: it may have been revoked unheard', async () => {
    const pod = await control.start(deaf);
    const { id, token } = await control.aSubscription();
    expect(await pod.caches.streams.resolve(token.digest)).not.toBeNull();
    await control.backend.subscriptions.remove(id);
    await openFakeSink().until(() => pod.caches.streams.recall(token.digest) === undefined);
    expect(await pod.caches.streams.resolve(token.digest)).toBeNull();
  });

  it('the rights of open streams can be confirmed all the same', async () => {
    const pod = await control.start(deaf);
    const subscriptions = [await control.aSubscription(), await control.aSubscription()];
    const sinks = await Promise.all(subscriptions.map(({ token }) => control.openStream(pod, token.digest)));
    await control.backend.subscriptions.remove(subscriptions[0]?.id ?? '');
    await pod.confirmRights();
    expect(sinks.map(closingReasonIn)).toEqual(['revoked', null]);
  });
});

describe('rights that are to be confirmed', () => {
  async function openWith(lookUp: ControlDeps['lookUp'], log: ControlDeps['control'], clock = systemClock) {
    const forgetful = { evict: () => undefined, evictAll: () => undefined };
    const caches = { streams: forgetful, hooks: forgetful, provisionTokens: forgetful };
    const logger = await createLogger({ level: 'silent' });
    const sink = openFakeSink();
    control.fake.join(sink, 0, aRight());
    return { sink, ...createControl({ control: log, streams: control.fake.hub, caches, lookUp, clock, logger }) };
  }

  it('are not waited for without end by a store that hangs', async () => {
    const clock = { ...systemClock, sleep: async (ms: number) => expect(ms).toBeLessThanOrEqual(3_000) };
    const { confirmRights } = await openWith(() => new Promise<never>(() => undefined), neverHeard(), clock);
    await confirmRights();
  });

  it('are looked up once more when the control log is heard again meanwhile', async () => {
    const looks: PromiseWithResolvers<'revoked'>[] = [];
    const heard = Promise.withResolvers<{ entries: []; mayHaveMissed: true }>();
    const tail = { next: async () => heard.promise, close: async () => undefined };
    const { sink, confirmRights, tasks, generation } = await openWith(
      () => {
        const look = Promise.withResolvers<'revoked'>();
        looks.push(look);
        return look.promise;
      },
      { openTail: () => tail },
    );
    const stop = new AbortController();
    const [follow] = tasks;
    void follow?.run(stop.signal);
    let isConfirmed = false;
    const confirmed = confirmRights().then(() => {
      isConfirmed = true;
    });
    tail.next = () => new Promise(() => undefined);
    heard.resolve({ entries: [], mayHaveMissed: true });
    await sink.until(() => generation() > 0);
    looks[0]?.resolve('revoked');
    await sink.until(() => looks.length === 2);
    expect([isConfirmed, sink.isEnded]).toEqual([false, false]);
    looks[1]?.resolve('revoked');
    await confirmed;
    expect(closingReasonIn(sink)).toBe('revoked');
    stop.abort();
  });
});
