import { expect } from 'vitest';
import type { CreateOperation, HookOperation, Recording } from '../drivers/recording.ts';
import { createsSentIn, hooksSentIn, judged, notAnsweredAsPromised, type Stretch, streamsEndedIn } from './outage.ts';

/** Redis away: every hook is answered within 2 s, most are refused, and no stream has been ended by us since. */
export function expectOnlyRefusals(recording: Recording, away: Stretch): void {
  const hooks = judged(hooksSentIn(recording, away));
  expect(notAnsweredAsPromised(hooks)).toEqual([]);
  expectMostRefused(hooks);
  expectStreamsToStay(recording, away);
}

/** MongoDB away: hooks are accepted as ever, creates are refused within 2 s, and no stream has been ended by us since. */
export function expectHooksToGoOn(recording: Recording, away: Stretch): void {
  const hooks = judged(hooksSentIn(recording, away));
  expect(hooks.filter(({ status }) => status !== 202)).toEqual([]);
  expect(notAnsweredAsPromised(hooks)).toEqual([]);
  const creates = judged(createsSentIn(recording, away));
  expect(notAnsweredAsPromised(creates)).toEqual([]);
  expectMostRefused(creates);
  expectStreamsToStay(recording, away);
}

/** Where nothing can be judged, because the machine worked for others all the time, nothing is said. */
function expectMostRefused(operations: readonly (HookOperation | CreateOperation)[]): void {
  const refused = operations.filter(({ status }) => status === 503);
  if (operations.length > 0) expect(refused.length).toBeGreaterThan(operations.length / 2);
}

function expectStreamsToStay(recording: Recording, { fromMs }: Stretch): void {
  expect(streamsEndedIn(recording, { fromMs, toMs: performance.now() })).toEqual([]);
}
