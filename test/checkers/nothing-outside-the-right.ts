import { parsePosition } from '@widget-service/shared/domain/log-position.ts';
import type { RecordedConnection, Revocation } from '../drivers/recording.ts';
import type { Checker } from './evidence.ts';
import { isInside } from './nothing-outside-the-filter.ts';

/** What is promised: within so long after the 204, streams of what was revoked have ended on every pod. */
const revokedWithinMs = 2_000;

/**
 * C6: no event outside the filter of its subscription, and none that happened later than 2 s after the subscription was
 * revoked; nor is a stream opened by then. An event's time is that of its position, so that it does not matter how long
 * its bytes were on their way to a busy client. While no pod can look a token up, its client is sent away to come back:
 * it is not CLOSED, for the token may be good, and no stream is opened either.
 */
export const nothingOutsideTheRight: Checker = ({ recording }) => {
  const revocations = new Map(recording.revocations.map((each) => [each.subscriptionId, each]));
  return recording.streams.flatMap(({ name, subscriptionId, filter, connections }) =>
    connections.flatMap((connection, index) => {
      const outside = connection.blocks.filter((block) => block.type === 'event' && !isInside(filter, block.event));
      const found = outside.map(({ position }) => `${position} lies outside the filter`);
      const revocation = revocations.get(subscriptionId);
      if (revocation !== undefined) found.push(...problemsAfter(revocation, connection));
      return found.map((problem) => `${name}, connection ${index}: ${problem}`);
    }),
  );
};

function problemsAfter(revocation: Revocation, { blocks, requestedAtMs, endedAtMs }: RecordedConnection): string[] {
  const { acknowledgedAtMs, acknowledgedAtWallMs } = revocation;
  if (acknowledgedAtMs === null) return [];
  const found: string[] = [];
  const isLate = requestedAtMs > acknowledgedAtMs + revokedWithinMs;
  if (isLate && !isTurnedAway(blocks)) found.push('was opened after the revocation');
  if (endedAtMs === null) found.push('was not ended by the revocation');
  const last = parsePosition(blocks.findLast(({ type }) => type === 'event')?.position ?? '');
  const lateByMs = (last?.ms ?? 0) - acknowledgedAtWallMs;
  if (lateByMs > revokedWithinMs) found.push(`was sent what happened ${lateByMs} ms after the revocation`);
  return found;
}

/** Whether all that was answered is that no stream is opened now. */
function isTurnedAway(blocks: RecordedConnection['blocks']): boolean {
  const [only] = blocks;
  return blocks.length === 1 && only?.type === 'message' && only.name === 'stream.closing';
}
