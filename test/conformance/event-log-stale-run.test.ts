import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { anEventAppend } from '../drivers/builders.ts';
import { driveEventLog } from '../drivers/event-log-driver.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

// The embedded log is one process's own: nobody settles what a run of it still brings.
describe.skipIf(inject('backend') === 'embedded')('EventLog: a run that comes late', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend({ runAgeMaxMs: 100 });
  });
  afterAll(() => store.dispose());
  const { log, nextRun, extent } = driveEventLog(() => store);

  it('appends next to later ones, but no more when a later one was there long ago', async () => {
    const [late, later] = [await nextRun(), await nextRun()];
    await log().append(later, null, [anEventAppend()]);
    await log().append(late, null, [anEventAppend()]);
    const again = anEventAppend();
    await expect
      .poll(() =>
        log()
          .append(late, null, [again])
          .then(
            () => 'taken',
            (error: { code: string }) => error.code,
          ),
      )
      .toBe('unavailable');
    const { last } = await extent();
    await expect(log().append(late, null, [anEventAppend()])).rejects.toMatchObject({ code: 'unavailable' });
    expect((await extent()).last).toEqual(last);
  });

  it('is known as such also when nothing else came for long', async () => {
    const [late, later] = [await nextRun(), await nextRun()];
    const event = anEventAppend();
    const startedAtMs = performance.now();
    await log().append(later, null, [event]);
    await log().expireMarks([event.mark], later);
    await expect.poll(() => performance.now() - startedAtMs, { interval: 20 }).toBeGreaterThan(100);
    await expect(log().append(late, null, [event])).rejects.toMatchObject({ code: 'unavailable' });
    expect((await log().append(await nextRun(), null, [anEventAppend()])).positions).not.toContain(null);
  });

  it('is known as such by what was settled under a higher number, though none higher has appended', async () => {
    const [first, late, latest] = [await nextRun(), await nextRun(), await nextRun()];
    const event = anEventAppend();
    const startedAtMs = performance.now();
    await log().append(first, null, [event]);
    await log().expireMarks([event.mark], latest);
    await expect.poll(() => performance.now() - startedAtMs, { interval: 20 }).toBeGreaterThan(200);
    await expect(log().append(late, null, [event])).rejects.toMatchObject({ code: 'unavailable' });
  });
});
