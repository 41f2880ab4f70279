/**
 * The client of Widget Service: requests, streams, and a sender of hooks.
 *
 * This file is the whole interface of the package. It is the only file of this repository that exports other files.
 */
export {
  type Api,
  type CreateWidgetOptions,
  createClient,
  type ListWidgetsOptions,
  type NewWidget,
  type Session,
  type Widget,
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
export { ExactNumber, formatExactJson, parseExactJson } from './json/exact-json.ts';
export {
  type FailureKind,
  InvalidCallError,
  isUnencryptedRemote,
  type Problem,
  ProblemError,
  readFailureKind,
  type UnexpectedAnswer,
  UnexpectedResponseError,
  UnreachableError,
} from './requests/failures.ts';
export { type NumberedPage, readAllPages } from './requests/list-pages.ts';
export type { Retry } from './requests/send.ts';
export type { ClientOptions, SessionStore } from './requests/service-fetch.ts';
export {
  type OpenStream,
  openStream,
  type StreamEventMap,
  storePositionIn,
  type TextStorage,
} from './stream/open-stream.ts';
export {
  type PositionStore,
  readStream,
  type StreamOptions,
  type StreamState,
  type StreamUrl,
} from './stream/read-stream.ts';
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
export {
  type Batch,
  type Connection,
  createEventSourceTransport,
  type EventSourceLike,
  type OpenOutcome,
  SilenceError,
  StreamEndedError,
  type StreamEndReason,
  type Transport,
} from './stream/transport.ts';
