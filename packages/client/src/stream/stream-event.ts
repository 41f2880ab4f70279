import type { components } from '../interface.ts';
import type { FailureKind } from '../requests/failures.ts';

type Schemas = components['schemas'];

/** Where a stream continues. Opaque: store it, compare it for equality at most, and give it back to the service. */
export type Position = string;

/**
 * What every event has. `json` is its data as it came, every digit of every number included: parse it with
 * `parseExactJson` where a number may be longer than JavaScript's. `JSON.stringify` and `{ ...event }`
 * leave it out.
 */
export interface ReceivedEvent {
  readonly json: string;
}

/**
 * A widget was created, or a sender posted a hook: a CloudEvents 1.0 event, with its position. `id` is the same on
 * every repetition of the event; `position` is where a stream continues after it.
 */
export type WidgetStreamEvent = ReceivedEvent & Schemas['WidgetEvent'] & { readonly position: Position };

/** The stream is open. `resumed` is true if nothing is missing since the position that was asked for. */
export type StreamOpenEvent = ReceivedEvent &
  Schemas['StreamOpen'] & { readonly type: 'stream.open'; readonly position: Position };

/** Events are missing between `requested` and `resumedFrom`. Read the widgets again. */
export type StreamGapEvent = ReceivedEvent &
  Schemas['StreamGap'] & { readonly type: 'stream.gap'; readonly position: Position };

/** The filter of the subscription has let nothing through for a while. Only the position has moved. */
export type StreamPositionEvent = ReceivedEvent & { readonly type: 'stream.position'; readonly position: Position };

/** The service closes this connection. The client connects again, unless `reason` is `revoked` or `expired`. */
export type StreamClosingEvent = ReceivedEvent & Schemas['StreamClosing'] & { readonly type: 'stream.closing' };

/** Everything that a stream delivers. `type` tells the kinds apart. Ignore a type that you do not know. */
export type StreamEvent =
  | WidgetStreamEvent
  | StreamOpenEvent
  | StreamGapEvent
  | StreamPositionEvent
  | StreamClosingEvent;

/** A message of a stream of server-sent events, before its data is parsed. */
export interface RawMessage {
  /** The field `event`. */
  readonly name: string;
  /** The field `id`, or an empty string. */
  readonly id: string;
  readonly data: string;
}

/** True for the events of widgets, false for those about the stream itself. */
export function isWidgetEvent(event: StreamEvent): event is WidgetStreamEvent {
  return event.type.startsWith('widget.');
}

/** A message of the stream is not what the service sends under this name: somebody else may have sent it. */
export class MalformedEventError extends Error {
  override readonly name = 'MalformedEventError';
  readonly kind: FailureKind = 'outage';

  constructor(name: string) {
    super(`the stream has sent "${name}" with data that Widget Service does not send`);
  }
}

/**
 * Parses a message. Returns null if its name is unknown: a later version of the service may send more of them.
 *
 * @throws {MalformedEventError} if its data is not that of such an event.
 */
export function parseStreamEvent({ name, id, data }: RawMessage): StreamEvent | null {
  if (!name.startsWith('widget.') && !knownStreamEvents.has(name)) return null;
  const parsed = parseObject(data);
  if (parsed === null || (name.startsWith('widget.') && !isWidgetData(parsed))) throw new MalformedEventError(name);
  const event = { ...parsed, type: name, ...(id === '' ? {} : { position: id }) };
  return Object.defineProperty(event, 'json', { value: data }) as unknown as StreamEvent;
}

type JsonObject = Readonly<Record<string, unknown>>;

function parseObject(json: string): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(json);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** Only what this library itself reads. */
function isWidgetData({ id, data }: JsonObject): boolean {
  if (typeof id !== 'string' || !isObject(data)) return false;
  const { widget } = data;
  return widget === null || (isObject(widget) && typeof widget.id === 'string' && Array.isArray(widget.labels));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const knownStreamEvents: ReadonlySet<string> = new Set([
  'stream.open',
  'stream.gap',
  'stream.position',
  'stream.closing',
]);
