import { expect, test } from 'vitest';
import { explore } from './publishing-protocol.ts';
import {
  expiring,
  losingAndRestarting,
  losingTwice,
  overlapping,
  unstorableRedrivenAndNudged,
} from './publishing-worlds.ts';

test.each([
  ['runs that overlap, and a nudge', () => explore(overlapping, []), 300_000],
  [
    'runs of a hook that is unstorable and redriven, and a nudge',
    () => explore(unstorableRedrivenAndNudged, []),
    90_000,
  ],
  ['runs that sleep', () => explore(expiring, []), 20_000],
  ['runs that start again while the log is lost', () => explore(losingAndRestarting, []), 8_000],
  ['runs while the log is lost and trimmed twice', () => explore(losingTwice, []), 150_000],
])('every interleaving of %s keeps the promise', (name, exploreWorld, statesMin) => {
  const { states, violation } = exploreWorld();
  console.info(`${name}: ${states} states`);
  expect(violation).toBeNull();
  expect(states).toBeGreaterThan(statesMin);
});
