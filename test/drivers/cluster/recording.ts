import type { EventFilter } from '@widget-service/shared/domain/event-filter.ts';

/**
 * Everything that clients sent and received. All times are from one monotonic clock (`performance.now()`), in
 * milliseconds.
 */
export interface Recording {
  readonly hooks: HookOperation[];
  readonly creates: CreateOperation[];
  readonly revocations: Revocation[];
  readonly tokenRevocations: TokenRevocation[];
  readonly streams: RecordedStream[];
}

/**
 * `ok`: the service accepted the request. `refused`: the service answered with a problem. `unknown`: no answer, or an
 * answer of the load balancer. The service may have applied an unknown request or not.
 */
export type Outcome = 'ok' | 'refused' | 'unknown';

export interface Operation {
  readonly outcome: Outcome;
  /** 0 without an answer. */
  readonly status: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** From the request to its answer, without the time in which this client process was blocked. */
  readonly latencyMs: number;
  /**
   * True if the host gave this machine's processors to others meanwhile. Neither the latency nor a refusal is then the
   * service's fault.
   */
  readonly wasStarved: boolean;
  /** The answer, if the outcome is `refused`; otherwise null. */
  readonly refusal: Refusal | null;
  /** Why the outcome is `unknown`; otherwise empty. */
  readonly failure: string;
}

export interface Refusal {
  readonly contentType: string;
  readonly retryAfter: string | null;
  readonly body: string;
}

/** One request. A repeated hook has several of these, with the same event id. */
export interface HookOperation extends Operation {
  /** The event id that the sent key derives. */
  readonly eventId: string;
  /** The event id that a 202 named; null without a 202. */
  readonly answeredEventId: string | null;
  readonly kind: 'created' | 'updated' | 'retired';
  readonly occurredAt: string;
  readonly widgetId: string | null;
  /** The JSON text of the payload, which the event must carry to the byte. */
  readonly payload: string;
  /** The revocation of its token. Null if nobody revokes it. */
  readonly revocation: TokenRevocation | null;
}

export interface CreateOperation extends Operation {
  /** By a signed-in user. Otherwise by a script, with a provision token. */
  readonly isByPerson: boolean;
  /** The `Idempotency-Key`; null without one. */
  readonly key: string | null;
  /** The body of the request. */
  readonly sent: string;
  /** The body of a 201; null without a 201. */
  readonly answer: string | null;
}

/** A subscription that was revoked while streams were open on it. */
export interface Revocation {
  readonly subscriptionId: string;
  /** By a 204, or by a 404 after attempts without an answer. */
  readonly isConfirmed: boolean;
  /** When the 204 arrived. Null without a 204: the time of the revocation, or the revocation itself, is uncertain. */
  readonly acknowledgedAtMs: number | null;
  /** The same time on the wall clock, which positions of events use too. */
  readonly acknowledgedAtWallMs: number;
}

/** An integration that is revoked under load. Hooks with its token go on. */
export interface TokenRevocation {
  readonly integrationId: string;
  /** When the 204 arrived. Null before it, and without one. */
  acknowledgedAtMs: number | null;
}

/** All connections of one EventSource. */
export interface RecordedStream {
  readonly name: string;
  readonly subscriptionId: string;
  readonly filter: EventFilter;
  readonly connections: RecordedConnection[];
  /**
   * What closed the EventSource, so that it does not reconnect. Null while it is connecting or open. `isOurs` is true
   * if the service sent the status, and false if the load balancer did.
   */
  closedBy: { readonly status: number; readonly isOurs: boolean } | 'client' | null;
}

/** One 200 answer to one `GET`, from its first byte to its end. */
export interface RecordedConnection {
  /** The position that the client wants to resume at; null if it named none. */
  readonly lastEventId: string | null;
  /** When the client sent the request, and when the answer began. */
  readonly requestedAtMs: number;
  readonly openedAtMs: number;
  endedAtMs: number | null;
  /** Every block with data, in order. */
  readonly blocks: RecordedBlock[];
}

export type RecordedBlock = ReceivedEvent | StreamMessage;

/** An event as streams received it. Streams that received the same bytes at the same position share one object. */
export interface ReceivedEvent {
  readonly type: 'event';
  /** The SSE id. */
  readonly position: string;
  readonly epoch: string;
  readonly seq: number;
  readonly data: string;
  readonly event: CloudEvent;
}

/** A message of the service about the stream itself. */
export interface StreamMessage {
  readonly type: 'message';
  readonly name: 'stream.open' | 'stream.gap' | 'stream.position' | 'stream.closing';
  /** The SSE id; empty without one. */
  readonly position: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The members of an event's data that checkers read. */
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
  return { hooks: [], creates: [], revocations: [], tokenRevocations: [], streams: [] };
}
