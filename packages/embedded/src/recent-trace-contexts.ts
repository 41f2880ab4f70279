import type { TraceContext } from '@widget-service/shared/domain/trace-context.ts';
import type { WidgetEvent } from '@widget-service/shared/domain/widget-event.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { dropOldest } from '@widget-service/shared/runtime/drop-oldest.ts';

/** Far more than the tail of the same process leaves unread. */
const contextsMax = 1_000;

/**
 * Remembers the trace contexts of the newest traced events, by event id. One process appends the events and reads them,
 * and a trace does not outlive it, so the file needs no column for them.
 */
export class RecentTraceContexts {
  readonly #byEventId = new Map<string, TraceContext>();

  /** Does nothing for an event that is not traced. */
  add({ eventId, traceContext }: WidgetEvent): void {
    if (traceContext === undefined) return;
    this.#byEventId.set(eventId, traceContext);
    dropOldest(this.#byEventId, contextsMax);
  }

  /** Returns the record with the trace context of its event, if it is known. */
  restore(record: LogRecord): LogRecord {
    if (this.#byEventId.size === 0) return record;
    const traceContext = this.#byEventId.get(record.event.eventId);
    return traceContext === undefined ? record : { ...record, event: { ...record.event, traceContext } };
  }
}
