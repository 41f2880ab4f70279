import type { EventFilter } from '@widget-service/shared/domain/event-filter.ts';

/**
 * What clients saw, as they saw it. All times are of one monotonic clock (`performance.now()`), in milliseconds.
 */
export interface Recording {
  readonly hooks: HookOperation[];
  readonly creates: CreateOperation[];
  readonly revocations: Revocation[];
  readonly streams: RecordedStream[];
}

/**
 * `ok`: what was asked for was answered with. `refused`: the service said no. `unknown`: no answer, or one that is not
 * the service's; what was asked for may have been carried out or not.
 */
export type Outcome = 'ok' | 'refused' | 'unknown';

interface Operation {
  readonly outcome: Outcome;
  /** 0 without an answer. */
  readonly status: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** From the request to its answer, without the time for which the client itself was not running. */
  readonly latencyMs: number;
  /** The machine worked for others meanwhile: how long it took, and that it was refused, says nothing of the service. */
  readonly wasStarved: boolean;
  /** Of a refusal. */
  readonly refusal: Refusal | null;
  /** Why nothing is known; empty otherwise. */
  readonly failure: string;
}

export interface Refusal {
  readonly contentType: string;
  readonly retryAfter: string | null;
  readonly body: string;
}

/** One request; a hook that was repeated is several, with one event id. */
export interface HookOperation extends Operation {
  /** Derived from the key that was sent. */
  readonly eventId: string;
  /** What a 202 said. */
  readonly answeredEventId: string | null;
  readonly kind: 'created' | 'updated' | 'retired';
  readonly occurredAt: string;
  readonly widgetId: string | null;
}

export interface CreateOperation extends Operation {
  /** The `Idempotency-Key`; null without one. */
  readonly key: string | null;
  /** The request's body. */
  readonly sent: string;
  /** The text of a 201. */
  readonly answer: string | null;
}

/** A subscription that was revoked while streams were open on it. */
export interface Revocation {
  readonly subscriptionId: string;
  /** When the 204 came; null if none did: it may be revoked or not. */
  readonly acknowledgedAtMs: number | null;
  /** The same on the clock on the wall, which positions of events are of too. */
  readonly acknowledgedAtWallMs: number;
}

/** An EventSource over all its connections. */
export interface RecordedStream {
  readonly name: string;
  readonly subscriptionId: string;
  readonly filter: EventFilter;
  readonly connections: RecordedConnection[];
  /** Of an EventSource that is CLOSED: it will not come back by itself. Null while it connects or is open. */
  closedBy: { readonly status: number; readonly isOurs: boolean } | 'client' | null;
}

/** One answer to one `GET`, from its first byte to its end. */
export interface RecordedConnection {
  /** The position it asked to go on from; null for the first. */
  readonly lastEventId: string | null;
  /** When it was asked for, and when the answer came. */
  readonly requestedAtMs: number;
  readonly openedAtMs: number;
  endedAtMs: number | null;
  /** Every block with data, in order. */
  readonly blocks: RecordedBlock[];
}

export type RecordedBlock = SeenEvent | StreamMessage;

/** An event as streams were sent it; one object for all streams that were sent the same bytes at the same position. */
export interface SeenEvent {
  readonly type: 'event';
  /** The SSE id. */
  readonly position: string;
  readonly epoch: string;
  readonly seq: number;
  readonly data: string;
  readonly event: CloudEvent;
}

/** What a stream says about itself. */
export interface StreamMessage {
  readonly type: 'message';
  readonly name: 'stream.open' | 'stream.gap' | 'stream.position' | 'stream.closing';
  /** Empty for one without an id. */
  readonly position: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What checkers look at of the data of an event. */
export interface CloudEvent {
  readonly id: string;
  readonly type: string;
  readonly subject?: string;
  readonly data: {
    readonly origin: 'api' | 'hook';
    readonly stateChanged: boolean;
    readonly widget: {
      readonly state: 'active' | 'retired';
      readonly labels: readonly string[];
      readonly version: number;
    } | null;
  };
}

export function createRecording(): Recording {
  return { hooks: [], creates: [], revocations: [], streams: [] };
}
