import { describe, expect, it } from 'vitest';
import { Notifier } from './notifier.ts';

const never = new AbortController().signal;

describe('a bell', () => {
  it('wakes everybody who waits', async () => {
    const bell = new Notifier();
    const waiting = Promise.all([bell.wait(60_000, never), bell.wait(60_000, never)]);
    bell.notify();
    await waiting;
  });

  it('wakes at the latest when the time is over', async () => {
    await new Notifier().wait(1, never);
  });

  it('wakes when the signal aborts, also if it did before', async () => {
    const bell = new Notifier();
    const controller = new AbortController();
    const waiting = bell.wait(60_000, controller.signal);
    controller.abort();
    await waiting;
    await bell.wait(60_000, controller.signal);
  });

  it('does not ring for later', async () => {
    const bell = new Notifier();
    bell.notify();
    let isAwake = false;
    const waiting = bell.wait(60_000, never).then(() => {
      isAwake = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAwake).toBe(false);
    bell.notify();
    await waiting;
  });
});
