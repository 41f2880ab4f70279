import { describe, expect, test } from 'vitest';
import { Notifier } from './notifier.ts';

const neverAborts = new AbortController().signal;

describe('Notifier', () => {
  test('wakes every waiter', async () => {
    const notifier = new Notifier();
    const waits = Promise.all([notifier.wait(60_000, neverAborts), notifier.wait(60_000, neverAborts)]);
    notifier.notify();
    await waits;
  });

  test('stops waiting after the given time', async () => {
    await new Notifier().wait(1, neverAborts);
  });

  test('stops waiting when the signal aborts, and does not wait when it has aborted before', async () => {
    const notifier = new Notifier();
    const controller = new AbortController();
    const wait = notifier.wait(60_000, controller.signal);
    controller.abort();
    await wait;
    await notifier.wait(60_000, controller.signal);
  });

  test('does not wake a waiter that comes after the notification', async () => {
    const notifier = new Notifier();
    notifier.notify();
    let isAwake = false;
    const wait = notifier.wait(60_000, neverAborts).then(() => {
      isAwake = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAwake).toBe(false);
    notifier.notify();
    await wait;
  });
});
