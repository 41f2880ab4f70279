import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { anEventAppend } from '../drivers/app/builders.ts';
import { driveEventLog } from '../drivers/app/log-drivers.ts';
import { openTestBackend } from '../drivers/app/open-test-backend.ts';
import type { TestBackend } from '../drivers/app/test-backend.ts';

/** Long enough that a busy machine appends twice within it. */
const runAgeMaxMs = 1_000;
const waiting = { interval: 20, timeout: 10_000 };

// The watermarks of the embedded log never expire, so it accepts stale runs.
describe.skipIf(inject('backend') === 'embedded')('EventLog.append, by a stale run', () => {
  let testBackend: TestBackend;
  beforeAll(async () => {
    testBackend = await openTestBackend({ runAgeMaxMs });
  });
  afterAll(() => testBackend.dispose());
  const { log, nextRun, extent } = driveEventLog(() => testBackend);

  test('accepts a lower run next to a higher one, and rejects it once the higher one arrived too long ago', async () => {
    const [lower, higher] = [await nextRun(), await nextRun()];
    await log().append(higher, null, [anEventAppend()]);
    await log().append(lower, null, [anEventAppend()]);
    const repeated = anEventAppend();
    await expect
      .poll(
        () =>
          log()
            .append(lower, null, [repeated])
            .then(
              () => 'accepted',
              (error: { code: string }) => error.code,
            ),
        waiting,
      )
      .toBe('unavailable');
    const { last } = await extent();
    await expect(log().append(lower, null, [anEventAppend()])).rejects.toMatchObject({ code: 'unavailable' });
    expect((await extent()).last).toEqual(last);
  });

  test('rejects a lower run when the higher one arrived too long ago, even if no run arrived since', async () => {
    const [lower, higher] = [await nextRun(), await nextRun()];
    const event = anEventAppend();
    await log().append(higher, null, [event]);
    await log().expireMarks([event.mark], higher);
    const startedAtMs = performance.now();
    await expect.poll(() => performance.now() - startedAtMs, waiting).toBeGreaterThan(runAgeMaxMs);
    await expect(log().append(lower, null, [event])).rejects.toMatchObject({ code: 'unavailable' });
    expect((await log().append(await nextRun(), null, [anEventAppend()])).positions).not.toContain(null);
  });

  test('rejects a run below the run number that expireMarks was called with', async () => {
    const [first, lower, highest] = [await nextRun(), await nextRun(), await nextRun()];
    const event = anEventAppend();
    await log().append(first, null, [event]);
    await log().expireMarks([event.mark], highest);
    const startedAtMs = performance.now();
    await expect.poll(() => performance.now() - startedAtMs, waiting).toBeGreaterThan(2 * runAgeMaxMs);
    await expect(log().append(lower, null, [event])).rejects.toMatchObject({ code: 'unavailable' });
  });
});
