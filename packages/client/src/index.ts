/**
 * The client of Widget Service: requests, streams, live collections, and a sender of hooks.
 *
 * This file is the whole interface of the package. It is the only file of this repository that exports other files.
 */
export {
  type ClientOptions,
  type CreateWidgetOptions,
  createClient,
  type ListWidgetsOptions,
  type NewWidget,
  type Session,
  WidgetServiceClient,
} from './client.ts';
export {
  createHookSender,
  type HookEvent,
  HookQueueFullError,
  HookSender,
  type HookSenderOptions,
  type SentHook,
} from './hooks/hook-sender.ts';
export { type SignedContent, signHook } from './hooks/sign-hook.ts';
export type { components, paths } from './interface.ts';
export { formatExactJson, parseExactJson } from './json/exact-json.ts';
export { ExactNumber } from './json/exact-number.ts';
export type { LiveWidget, Widget } from './live/live-widget.ts';
export {
  LiveWidgets,
  type LiveWidgetsListener,
  type LiveWidgetsOptions,
  type LiveWidgetsSource,
  type LiveWidgetsState,
} from './live/live-widgets.ts';
export type { ReadWidgetPage, WidgetPage, WidgetPageQuery } from './live/walk-widgets.ts';
export type { WidgetChange } from './live/widget-collection.ts';
export { isUnencryptedRemote } from './requests/address.ts';
export type { Api } from './requests/api.ts';
export { type FailureKind, readFailureKind } from './requests/failure-kind.ts';
export { InvalidCallError } from './requests/invalid-call-error.ts';
export { type Problem, ProblemError } from './requests/problem-error.ts';
export { type NumberedPage, readAllPages } from './requests/read-all-pages.ts';
export type { Retry } from './requests/retry.ts';
export type { SessionStore } from './requests/session-store.ts';
export { type UnexpectedAnswer, UnexpectedResponseError } from './requests/unexpected-response-error.ts';
export { UnreachableError } from './requests/unreachable-error.ts';
export { createEventSourceTransport, type EventSourceLike } from './stream/event-source-transport.ts';
export {
  type OpenStream,
  openStream,
  type StreamEventMap,
  StreamMessageEvent,
  StreamStateEvent,
} from './stream/open-stream.ts';
export { storePositionIn, type TextStorage } from './stream/position-in-storage.ts';
export {
  type PositionStore,
  readStream,
  type StreamOptions,
  type StreamState,
  type StreamUrl,
} from './stream/read-stream.ts';
export { StreamEndedError, type StreamEndReason } from './stream/stream-ended-error.ts';
export {
  isWidgetEvent,
  MalformedEventError,
  type Position,
  type RawMessage,
  type ReceivedEvent,
  type StreamClosingEvent,
  type StreamEvent,
  type StreamGapEvent,
  type StreamOpenEvent,
  type StreamPositionEvent,
  type WidgetStreamEvent,
} from './stream/stream-event.ts';
export { type Batch, type Connection, type OpenOutcome, SilenceError, type Transport } from './stream/transport.ts';
