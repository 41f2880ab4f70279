import type { Revocation } from '../harness/recording.ts';
import type { Checker } from './evidence.ts';
import { isInside } from './nothing-outside-the-filter.ts';

/** What is promised: within so long after the 204, streams of what was revoked have ended on every pod. */
const revokedWithinMs = 2_000;
/** Between the arrival of bytes and the moment at which this process could look at the clock. */
const lookingMs = 250;

/** C6: no event outside the filter of its subscription, and none after the subscription was revoked. */
export const nothingOutsideTheRight: Checker = ({ recording }) => {
  const revocations = new Map(recording.revocations.map((each) => [each.subscriptionId, each]));
  return recording.streams.flatMap((stream) =>
    stream.connections.flatMap(({ blocks, openedAtMs, endedAtMs, lastBlockAtMs }, index) => {
      const name = `${stream.name}, connection ${index}`;
      const outside = blocks.filter((block) => block.type === 'event' && !isInside(stream.filter, block.event));
      const found = outside.map(({ position }) => `${name}: ${position} lies outside the filter`);
      const limitMs = limitOf(revocations.get(stream.subscriptionId));
      if (openedAtMs > limitMs) found.push(`${name} was opened after the revocation`);
      if (lastBlockAtMs > limitMs) found.push(`${name} was written to after the revocation`);
      if ((endedAtMs ?? Number.POSITIVE_INFINITY) > limitMs) found.push(`${name} was not ended by the revocation`);
      return found;
    }),
  );
};

function limitOf(revocation: Revocation | undefined): number {
  const acknowledgedAtMs = revocation?.acknowledgedAtMs ?? null;
  return acknowledgedAtMs === null ? Number.POSITIVE_INFINITY : acknowledgedAtMs + revokedWithinMs + lookingMs;
}
