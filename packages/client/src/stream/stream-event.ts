import type { components } from '../interface.ts';

type Schemas = components['schemas'];

/** Where a stream continues. Opaque: store it, compare it for equality at most, and give it back to the service. */
export type Position = string;

/**
 * A widget was created, or a sender posted a hook: a CloudEvents 1.0 event, with its position. `id` is the same on every
 * repetition of the event; `position` is where a stream continues after it.
 */
export type WidgetStreamEvent = Schemas['WidgetEvent'] & { readonly position: Position };

/** The stream is open. `resumed` is true if nothing is missing since the position that was asked for. */
export type StreamOpenEvent = Schemas['StreamOpen'] & { readonly type: 'stream.open'; readonly position: Position };

/** Events are missing between `requested` and `resumedFrom`. Read the widgets again. */
export type StreamGapEvent = Schemas['StreamGap'] & { readonly type: 'stream.gap'; readonly position: Position };

/** The filter of the subscription has let nothing through for a while. Only the position has moved. */
export type StreamPositionEvent = { readonly type: 'stream.position'; readonly position: Position };

/** The service closes this connection. The client connects again, unless `reason` is `revoked` or `expired`. */
export type StreamClosingEvent = Schemas['StreamClosing'] & { readonly type: 'stream.closing' };

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

/** Parses a message. Returns null if its name is unknown: a later version of the service may send more of them. */
export function parseStreamEvent({ name, id, data }: RawMessage): StreamEvent | null {
  if (!name.startsWith('widget.') && !knownStreamEvents.has(name)) return null;
  const parsed = JSON.parse(data) as object;
  return { ...parsed, type: name, ...(id === '' ? {} : { position: id }) } as StreamEvent;
}

const knownStreamEvents: ReadonlySet<string> = new Set([
  'stream.open',
  'stream.gap',
  'stream.position',
  'stream.closing',
]);
