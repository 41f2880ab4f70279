import { expect, it } from 'vitest';
import { explore as exploreRuns } from './publishing-protocol.ts';
import {
  expiring,
  losingAndRetrying,
  losingTwice,
  overlapping,
  refusedRedrivenAndNudged,
  spare,
} from './publishing-worlds.ts';
import { explore as exploreStreams } from './stream-delivery.ts';

it.each([
  ['runs that overlap, and a nudge', () => exploreRuns(overlapping, []), 300_000],
  ['runs of a hook that is refused and redriven, and a nudge', () => exploreRuns(refusedRedrivenAndNudged, []), 90_000],
  ['runs that sleep, without the spare rules', () => exploreRuns(expiring, spare), 20_000],
  ['runs that start again while the log is lost', () => exploreRuns(losingAndRetrying, []), 8_000],
  ['runs while the log is lost and trimmed twice', () => exploreRuns(losingTwice, []), 150_000],
  [
    'a log and a subscriber who resumes',
    () => exploreStreams({ appends: 4, trims: 1, losses: 1, opens: 2 }, []),
    90_000,
  ],
])('every interleaving of %s keeps the promise', (name, explore, statesMin) => {
  const { states, violation } = explore();
  console.info(`${name}: ${states} states`);
  expect(violation).toBeNull();
  expect(states).toBeGreaterThan(statesMin);
});
