import type { AuditEvent } from '../../domain/audit-event.ts';
import type { PageRequest } from '../../domain/page.ts';
import type { AuditEventFilter, AuditEventStore } from '../../ports/audit-event-store.ts';
import { type CountedPage, listCountedPage, type TooDeepPage } from './list-counted-page.ts';

export interface ListAuditEventsDeps {
  readonly auditEvents: Pick<AuditEventStore, 'list' | 'count'>;
}

/** Makes the function that lists audit events, newest first. Throws `UnavailableError`. */
export function makeListAuditEvents({ auditEvents }: ListAuditEventsDeps) {
  return (filter: AuditEventFilter, request: PageRequest): Promise<CountedPage<AuditEvent> | TooDeepPage> =>
    listCountedPage(auditEvents, filter, request);
}
