import type { AuditEventBody } from '@widget-service/api/operators/audit-events.ts';
import { eventually } from '../tools/eventually.ts';
import type { TestApp, TestCaller } from './test-app.ts';

export type { AuditEventBody } from '@widget-service/api/operators/audit-events.ts';

/** Returns the audit events that the query selects, newest first. Throws unless the service answers 200. */
export async function listAuditEvents(
  service: Pick<TestApp, 'inject'>,
  { cookie }: Pick<TestCaller, 'cookie'>,
  query: string,
): Promise<AuditEventBody[]> {
  const response = await service.inject({ method: 'GET', url: `/api/v1/audit-events?${query}`, headers: { cookie } });
  if (response.statusCode !== 200) throw new Error(`the list answered ${response.statusCode}: ${response.body}`);
  return response.json().items;
}

/** Waits until the query selects `count` events, and returns them. For events that are sampled in the background. */
export async function listAuditEventsOnce(
  service: Pick<TestApp, 'inject'>,
  admin: Pick<TestCaller, 'cookie'>,
  query: string,
  count = 1,
): Promise<AuditEventBody[]> {
  let events: AuditEventBody[] = [];
  await eventually(async () => {
    events = await listAuditEvents(service, admin, query);
    return events.length >= count;
  }, `${count} events with ${query} are listed`);
  return events;
}
