import { parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import type { RecordedConnection, Revocation } from '../drivers/cluster/recording.ts';
import type { Checker } from './evidence.ts';
import { isInside } from './nothing-outside-the-filter.ts';

/** The promise: this long after the 204, every stream of a revoked subscription has ended, on every pod. */
const revokedWithinMs = 2_000;

/**
 * C6: a stream gets no event outside the filter of its subscription, and no event that was appended more than 2 s after
 * the revocation. No stream is opened after that time either. The time of an event is the one in its position, so the
 * delay of its bytes to a busy client does not count. While no pod can read the token, the service asks the client to
 * come back: it opens no stream, and does not close the EventSource, because the token may be valid.
 */
export const nothingOutsideTheEntitlement: Checker = ({ recording }) => {
  const revocations = new Map(recording.revocations.map((revocation) => [revocation.subscriptionId, revocation]));
  return recording.streams.flatMap(({ name, subscriptionId, filter, connections }) =>
    connections.flatMap((connection, index) => {
      const outside = connection.blocks.filter((block) => block.type === 'event' && !isInside(filter, block.event));
      const problems = outside.map(({ position }) => `${position} is outside the filter`);
      const revocation = revocations.get(subscriptionId);
      if (revocation !== undefined) problems.push(...findProblemsAfter(revocation, connection));
      return problems.map((problem) => `${name}, connection ${index}: ${problem}`);
    }),
  );
};

function findProblemsAfter(revocation: Revocation, { blocks, requestedAtMs, endedAtMs }: RecordedConnection): string[] {
  const { acknowledgedAtMs, acknowledgedAtWallMs } = revocation;
  if (acknowledgedAtMs === null) return [];
  const problems: string[] = [];
  const isLate = requestedAtMs > acknowledgedAtMs + revokedWithinMs;
  if (isLate && !isRejectedForNow(blocks)) problems.push('was opened after the revocation');
  if (endedAtMs === null) problems.push('was not ended by the revocation');
  const last = parsePosition(blocks.findLast(({ type }) => type === 'event')?.position ?? '');
  const lateByMs = (last?.ms ?? 0) - acknowledgedAtWallMs;
  if (lateByMs > revokedWithinMs) problems.push(`got an event ${lateByMs} ms after the revocation`);
  return problems;
}

/** Returns whether the answer only said that no stream can be opened now. */
function isRejectedForNow(blocks: RecordedConnection['blocks']): boolean {
  const [only] = blocks;
  return blocks.length === 1 && only?.type === 'message' && only.name === 'stream.closing';
}
