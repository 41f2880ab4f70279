import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { tryParseJson } from '@widget-service/shared/domain/json.ts';
import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import type { PeerRequests } from '@widget-service/shared/ports/peer-requests.ts';
import { getProcessName } from '@widget-service/shared/runtime/process-identity.ts';
import { z } from 'zod';
import type { Connection } from './fan-out/connection.ts';
import type { Hub } from './fan-out/hub.ts';

/** How long pods may take to answer. A request must end within 2 s. */
const answerWithinMs = 1_000;
/** The most streams that one pod lists, and that one list has: the newest. */
export const listedStreamsMax = 1_000;
const textVersion = 1;

const openStreamSchema = z.object({
  id: z.string(),
  /** The pod that holds the stream: its host name and process id. */
  pod: z.string(),
  address: z.string().nullable(),
  position: z.string(),
  openedAtMs: z.number(),
  sentBytes: z.number(),
  unsentBytes: z.number(),
});
const questionSchema = z.object({
  version: z.literal(textVersion),
  kind: z.enum(['list', 'end']),
  subscriptionId: z.string(),
  /** The stream to end; null with `list`. */
  streamId: z.string().nullable(),
});
const answerSchema = z.object({
  version: z.literal(textVersion),
  streams: z.array(openStreamSchema),
  /** How many there are, also those that are not in `streams`. */
  openStreams: z.int(),
  hasEnded: z.boolean(),
});

type Question = Omit<z.infer<typeof questionSchema>, 'version'>;
type Answer = z.infer<typeof answerSchema>;
/** A stream of a subscription that is open on some pod. */
export type OpenStream = z.infer<typeof openStreamSchema>;

/** The open streams of a subscription, as far as the pods answered. */
interface ListedStreams {
  /** The newest `listedStreamsMax`, newest first. */
  readonly streams: readonly OpenStream[];
  /** How many are open, also those that are not listed. */
  readonly openStreams: number;
  readonly podsAsked: number;
  readonly podsAnswered: number;
}

export interface StreamDirectoryDeps {
  readonly podRequests: PeerRequests;
  readonly hub: Pick<Hub, 'connections' | 'end'>;
}

/** Lists and ends the open streams of a subscription on every pod. Methods throw `UnavailableError`. */
export interface StreamDirectory {
  list(subscriptionId: string): Promise<ListedStreams>;
  /**
   * Ends a stream. Resolves to true once its pod has ended it, and to false if no pod has it. Throws `UnavailableError`
   * if no pod that answered has it, and some did not answer.
   */
  end(subscriptionId: string, streamId: string): Promise<boolean>;
  /** Ends the answering of this pod. */
  close(): void;
}

/**
 * Opens the pod's part of the directory: from now on it answers for the streams of its hub. A pod does work only when
 * an admin asks (ADR 36).
 */
export function openStreamDirectory({ podRequests, hub }: StreamDirectoryDeps): StreamDirectory {
  const stopServing = podRequests.serve((text) => {
    const question = questionSchema.safeParse(tryParseJson(text));
    return question.success ? JSON.stringify(answerQuestion(question.data, hub)) : null;
  });

  async function ask(question: Question) {
    const text = JSON.stringify({ version: textVersion, ...question } satisfies z.infer<typeof questionSchema>);
    const { asked, answers } = await podRequests.ask(text, answerWithinMs);
    const parsed = answers.map((answer) => answerSchema.safeParse(tryParseJson(answer)));
    return { asked, answers: parsed.flatMap(({ data }) => data ?? []) };
  }

  return {
    list: async (subscriptionId) => {
      const { asked, answers } = await ask({ kind: 'list', subscriptionId, streamId: null });
      const streams = answers.flatMap((answer) => answer.streams).sort(compareNewestFirst);
      return {
        streams: streams.slice(0, listedStreamsMax),
        openStreams: answers.reduce((sum, { openStreams }) => sum + openStreams, 0),
        podsAsked: asked,
        podsAnswered: answers.length,
      };
    },
    end: async (subscriptionId, streamId) => {
      const { asked, answers } = await ask({ kind: 'end', subscriptionId, streamId });
      if (answers.some(({ hasEnded }) => hasEnded)) return true;
      if (answers.length >= asked) return false;
      throw new UnavailableError(`end a stream: ${answers.length} of ${asked} pods answered, and none of them has it`);
    },
    close: stopServing,
  };
}

function answerQuestion({ kind, subscriptionId, streamId }: Question, hub: StreamDirectoryDeps['hub']): Answer {
  const connections = [...hub.connections()].filter(
    ({ entitlement: { holder } }) => holder.kind === 'subscription' && holder.id === subscriptionId,
  );
  if (kind === 'list') {
    const streams = connections.map(toOpenStream).sort(compareNewestFirst).slice(0, listedStreamsMax);
    return { version: textVersion, streams, openStreams: connections.length, hasEnded: false };
  }
  const connection = connections.find(({ id }) => id === streamId);
  // The client may reconnect, unless the subscription is revoked as well.
  if (connection !== undefined) hub.end(connection, 'lifetime');
  return { version: textVersion, streams: [], openStreams: 0, hasEnded: connection !== undefined };
}

const podName = getProcessName();

function toOpenStream({ id, address, epoch, cursor, openedAtMs, sink }: Connection): OpenStream {
  return {
    id,
    pod: podName,
    address,
    position: formatPosition({ epoch, ...cursor }),
    openedAtMs,
    sentBytes: sink.sentBytes(),
    unsentBytes: sink.unsentBytes(),
  };
}

function compareNewestFirst(a: OpenStream, b: OpenStream): number {
  return b.openedAtMs - a.openedAtMs || (a.id < b.id ? 1 : -1);
}
