import { Chunk, type Sink } from './chunk.ts';
import { positionBytes, randomWithin } from './frame.ts';

/** Why the pod ends a stream, as `stream.closing` says it. */
export type ClosingReason =
  | 'lifetime'
  | 'draining'
  | 'slow'
  | 'overloaded'
  | 'too-many-connections'
  | 'unavailable'
  | 'resync'
  | 'revoked'
  | 'expired';

/** How the pod ends a stream for one reason. */
interface ClosingRule {
  /** When this happens: a text for the API description. */
  readonly meaning: string;
  /**
   * The range of the random `retry:` that the client gets, in milliseconds. It is long where a quick reconnect would
   * not help.
   */
  readonly retryRangeMs: readonly [number, number];
  /** Whether a `stream.position` may precede it. False if the client cannot resume at the stream's cursor. */
  readonly sendsPosition: boolean;
  /**
   * Whether unsent bytes are dropped, because the client may no longer see them or does not read them. Then the hub
   * destroys the socket without a `stream.closing`.
   */
  readonly dropsUnsent: boolean;
}

const soonMs = [1_000, 5_000] as const;

export const closingRules: Readonly<Record<ClosingReason, ClosingRule>> = {
  lifetime: {
    meaning: 'the stream reached its maximum age, or an admin ended it; reconnect and resume',
    retryRangeMs: soonMs,
    sendsPosition: true,
    dropsUnsent: false,
  },
  draining: {
    meaning: 'the server is shutting down',
    retryRangeMs: soonMs,
    sendsPosition: true,
    dropsUnsent: false,
  },
  /** See slow-client.ts. */
  slow: {
    meaning: 'the client read too slowly',
    retryRangeMs: soonMs,
    sendsPosition: true,
    dropsUnsent: true,
  },
  overloaded: {
    meaning: 'the server has too many open streams',
    retryRangeMs: [30_000, 90_000],
    sendsPosition: true,
    dropsUnsent: false,
  },
  'too-many-connections': {
    meaning:
      'the subscription, or the user of a personal stream, has too many open streams on this server, or opens them too fast',
    retryRangeMs: [30_000, 90_000],
    sendsPosition: true,
    dropsUnsent: false,
  },
  unavailable: {
    meaning: 'the service cannot check the token or read the event log now',
    retryRangeMs: [5_000, 15_000],
    sendsPosition: true,
    dropsUnsent: false,
  },
  resync: {
    meaning: 'the stream cannot continue where it is; resume it to learn of any gap',
    retryRangeMs: soonMs,
    sendsPosition: false,
    dropsUnsent: false,
  },
  /** After `revoked` and `expired`, a client that reconnects gets 404. So it may reconnect soon. */
  revoked: {
    meaning: 'the token or the session was revoked',
    retryRangeMs: soonMs,
    sendsPosition: false,
    dropsUnsent: true,
  },
  expired: {
    meaning: 'the token has expired',
    retryRangeMs: soonMs,
    sendsPosition: false,
    dropsUnsent: true,
  },
};

export const closingReasons = Object.keys(closingRules) as ClosingReason[];

/** The last message of a stream: `stream.closing`. It has no `id`, so the client keeps its last position. */
export function closingBytes(reason: ClosingReason): Buffer {
  const retryMs = randomWithin(...closingRules[reason].retryRangeMs);
  return Buffer.from(`event: stream.closing\ndata: ${JSON.stringify({ reason })}\nretry: ${retryMs}\n\n`);
}

/** The parts of a connection that `sendClosing` uses. */
interface EndingStream {
  readonly sink: Pick<Sink, 'unsentBytes' | 'end' | 'destroy'>;
  readonly epoch: string;
  readonly cursor: { readonly ms: number; readonly seq: number };
  readonly announcedSeq: number;
}

/**
 * Ends a stream with `stream.closing`, or without it if unsent bytes must be dropped. A `stream.position` comes first
 * if the cursor is past the last position that was written, and the rule allows it: then a client that resumes does not
 * read the filtered-out events again.
 */
export function sendClosing({ sink, epoch, cursor, announcedSeq }: EndingStream, reason: ClosingReason): void {
  const { sendsPosition, dropsUnsent } = closingRules[reason];
  if (dropsUnsent && sink.unsentBytes() > 0) {
    sink.destroy();
    return;
  }
  const position = sendsPosition && cursor.seq !== announcedSeq ? [positionBytes({ epoch, ...cursor })] : [];
  sink.end(new Chunk(Buffer.concat([...position, closingBytes(reason)])));
}
