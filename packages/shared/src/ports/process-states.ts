import { z } from 'zod';
import { tryParseJson } from '../domain/json.ts';

export const processStateLimits = {
  writeEveryMs: 5_000,
  /** A process that has written no state for this long is frozen or cannot reach Redis: three writes are missing. */
  silentMs: 15_000,
  /** A process that has written no state for this long has died: its state is removed. */
  keptMs: 60_000,
  /** The most streams that a pod lists, the newest: some 200 KB every 5 s. */
  listedStreams: 1_000,
} as const;

const points = z.array(z.number().nullable());

const hourSchema = z.object({
  /** The number of the last point: it ends at `(lastPoint + 1)` × 15 s of the Unix time. */
  lastPoint: z.number(),
  hooksAccepted: points,
  hooksRefused: points,
  /** How many of the refused hooks got 5xx: these break the promise to accept valid hooks. */
  hooksFailed: points,
  eventsPublished: points,
  streamsOpen: points,
  /** How many of them were streams of sessions. */
  personalStreamsOpen: points,
});

const podSchema = z.object({
  streamsOpen: z.number(),
  streamsMax: z.number(),
  /** Whether `ReadState.streams` lacks some: the pod has more than it lists. */
  isListCut: z.boolean(),
  /** How many events of the log it has not read. Null: unknown. */
  lagEvents: z.number().nullable(),
  /** Why it refuses hooks now. Null: it accepts them. */
  hookFailure: z.string().nullable(),
  isControlUnreachable: z.boolean(),
  hour: hourSchema,
  /** The events of the last five minutes, by the buckets of their delay. */
  eventDelays: z.array(z.number()),
});

const stateVersion = 1;
const stateSchema = z.object({
  /** A new id at each start of the process. */
  id: z.string(),
  /** For people: host name and process id. */
  name: z.string(),
  version: z.string(),
  startedAtMs: z.number(),
  /** Why the process is not ready. Empty: it is ready. */
  notReady: z.array(z.string()),
  /** Null: it is a worker. */
  pod: podSchema.nullable(),
});

const listedStreamsSchema = z.array(
  z.object({
    id: z.string(),
    address: z.string().nullable(),
    /** The last event that was written or dropped by the filter. */
    position: z.string(),
    openedAtMs: z.number(),
    sentBytes: z.number(),
    unsentBytes: z.number(),
  }),
);

/** The last hour of a pod, in points of 15 s, the oldest first. Null: unknown. */
export type HourOfPod = Readonly<z.infer<typeof hourSchema>>;
/** A pod or a worker, as it describes itself. */
export type ProcessState = Readonly<z.infer<typeof stateSchema>>;
export type ListedStream = Readonly<z.infer<typeof listedStreamsSchema>[number]>;
/** Open streams by the id of their subscription. */
export type StreamsBySubscription = ReadonlyMap<string, readonly ListedStream[]>;

/** A state, and how old it is. */
export interface ReadState {
  readonly state: ProcessState;
  readonly ageMs: number;
  /** The listed streams of the subscription that was asked for. */
  readonly streams: readonly ListedStream[];
}

/**
 * The states of all processes of a deployment: each process writes its own every 5 s, and any pod can read all. The
 * embedded service has one process and stores nothing. Methods throw `UnavailableError`.
 */
export interface ProcessStates {
  /** Replaces the state of this process and its listed streams. */
  write(state: ProcessState, streams: StreamsBySubscription): Promise<void>;
  /** Returns the states that were written in the last minute, also that of this process. */
  list(subscriptionId?: string): Promise<readonly ReadState[]>;
  /** Removes a state: its process stops. */
  remove(id: string): Promise<void>;
}

export function serializeProcessState(state: ProcessState): string {
  return JSON.stringify({ stateVersion, ...state });
}

/** Returns null for a text that is no state of this version. */
export function parseProcessState(text: string): ProcessState | null {
  const { data } = stateSchema.extend({ stateVersion: z.literal(stateVersion) }).safeParse(tryParseJson(text));
  if (data === undefined) return null;
  const { stateVersion: _, ...state } = data;
  return state;
}

/** Returns an empty list for a text that is no list of streams. */
export function parseListedStreams(text: string): readonly ListedStream[] {
  return listedStreamsSchema.safeParse(tryParseJson(text)).data ?? [];
}
