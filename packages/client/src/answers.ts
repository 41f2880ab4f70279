// Made from the OpenAPI document of the service by `npm run write:client-interface`. Do not edit.
import type { Answer, Shape } from './requests/shape.ts';

const Owner: Shape = { userId: 'string', email: 'string', notify: 'boolean' };
const Widget: Shape = { id: 'string', name: 'string', state: 'string', labels: ['string'], owner: { '?': Owner }, createdAt: 'string', updatedAt: 'string', retiredAt: { '?': 'string' }, lastEventAt: { '?': 'string' }, version: 'number' };
const PagedResultWidget: Shape = { items: [Widget], page: 'number', pageSize: 'number', totalItems: 'number', totalPages: 'number', hasNext: 'boolean', asOf: 'string', streamCursor: { '?': 'string' } };
const Identity: Shape = { issuer: 'string', subject: 'string' };
const User: Shape = { id: 'string', email: 'string', name: { '?': 'string' }, role: 'string', disabled: 'boolean', mustChangePassword: 'boolean', identity: { '?': Identity }, createdAt: 'string', lastSignInAt: { '?': 'string' } };
const Session: Shape = { user: User, permissions: ['string'], csrfToken: 'string', expiresAt: 'string' };
const ActiveSession: Shape = { id: 'string', device: { '?': 'string' }, address: { '?': 'string' }, createdAt: 'string', lastUsedAt: 'string', expiresAt: 'string', current: 'boolean' };
const PagedResultActiveSession: Shape = { items: [ActiveSession], page: 'number', pageSize: 'number', totalItems: 'number', totalPages: 'number', hasNext: 'boolean' };
const PersonalStream: Shape = { token: 'string', url: 'string', cursor: { '?': 'string' }, expiresAt: 'string' };
const PagedResultUser: Shape = { items: [User], page: 'number', pageSize: 'number', totalItems: 'number', totalPages: 'number', hasNext: 'boolean' };
const EventFilter: Shape = { types: { '?': ['string'] }, widgetIds: { '?': ['string'] }, states: { '?': ['string'] }, labels: { '?': ['string'] } };
const Subscription: Shape = { id: 'string', name: 'string', filter: EventFilter, expiresAt: { '?': 'string' }, tokenIssuedAt: 'string', previousExpiresAt: { '?': 'string' }, createdAt: 'string', createdBy: 'string', lastConnectedAt: { '?': 'string' } };
const PagedResultSubscription: Shape = { items: [Subscription], page: 'number', pageSize: 'number', totalItems: 'number', totalPages: 'number', hasNext: 'boolean' };
const IssuedSubscription: Shape = { id: 'string', name: 'string', filter: EventFilter, expiresAt: { '?': 'string' }, tokenIssuedAt: 'string', previousExpiresAt: { '?': 'string' }, createdAt: 'string', createdBy: 'string', lastConnectedAt: { '?': 'string' }, token: 'string', url: 'string' };
const Connection: Shape = { id: 'string', address: { '?': 'string' }, position: 'string', openedAt: 'string', sentBytes: 'number', unsentBytes: 'number', pod: 'string' };
const OpenConnections: Shape = { items: [Connection], totalItems: 'number', podsAsked: 'number', podsAnswered: 'number' };
const HookSource: Shape = { preset: 'string', scheme: { '?': 'any' }, mapping: 'any' };
const Integration: Shape = { id: 'string', name: 'string', signature: 'string', deduplicateByContent: 'boolean', rate: { '?': 'number' }, source: { '?': HookSource }, expiresAt: { '?': 'string' }, tokenIssuedAt: 'string', previousExpiresAt: { '?': 'string' }, createdAt: 'string', createdBy: 'string', lastReceivedAt: { '?': 'string' } };
const PagedResultIntegration: Shape = { items: [Integration], page: 'number', pageSize: 'number', totalItems: 'number', totalPages: 'number', hasNext: 'boolean' };
const IssuedIntegration: Shape = { id: 'string', name: 'string', signature: 'string', deduplicateByContent: 'boolean', rate: { '?': 'number' }, source: { '?': HookSource }, expiresAt: { '?': 'string' }, tokenIssuedAt: 'string', previousExpiresAt: { '?': 'string' }, createdAt: 'string', createdBy: 'string', lastReceivedAt: { '?': 'string' }, token: 'string', url: 'string' };
const RotatedIntegration: Shape = { id: 'string', name: 'string', signature: 'string', deduplicateByContent: 'boolean', rate: { '?': 'number' }, source: { '?': HookSource }, expiresAt: { '?': 'string' }, tokenIssuedAt: 'string', previousExpiresAt: { '?': 'string' }, createdAt: 'string', createdBy: 'string', lastReceivedAt: { '?': 'string' }, token: 'string', url: 'string', previousSignature: { '?': 'string' } };
const WidgetEvent: Shape = { specversion: 'string', id: 'string', source: 'string', type: 'string', time: 'string', datacontenttype: 'string', data: 'any' };
const HookPreview: Shape = { outcome: 'string', signature: 'any', mapped: ['any'], answer: { '?': 'string' }, refusal: { '?': 'any' }, hook: { '?': 'any' }, event: { '?': WidgetEvent } };
const HookSample: Shape = { requestId: 'string', receivedAt: 'string', code: 'string', refusal: 'any', headers: 'any', withheldHeaders: ['string'], body: 'string' };
const HookSamples: Shape = { keptUntil: { '?': 'string' }, items: [HookSample] };
const ProvisionToken: Shape = { id: 'string', name: 'string', permissions: ['string'], expiresAt: { '?': 'string' }, tokenIssuedAt: 'string', previousExpiresAt: { '?': 'string' }, createdAt: 'string', createdBy: 'string', lastUsedAt: { '?': 'string' } };
const PagedResultProvisionToken: Shape = { items: [ProvisionToken], page: 'number', pageSize: 'number', totalItems: 'number', totalPages: 'number', hasNext: 'boolean' };
const IssuedProvisionToken: Shape = { id: 'string', name: 'string', permissions: ['string'], expiresAt: { '?': 'string' }, tokenIssuedAt: 'string', previousExpiresAt: { '?': 'string' }, createdAt: 'string', createdBy: 'string', lastUsedAt: { '?': 'string' }, token: 'string' };
const Delivery: Shape = { eventId: 'string', integrationId: 'string', integrationName: { '?': 'string' }, kind: 'string', occurredAt: 'string', receivedAt: 'string', widgetId: { '?': 'string' }, state: 'string', attempts: 'number', duplicates: 'number', reason: { '?': 'string' }, publishedAt: { '?': 'string' }, position: { '?': 'string' }, effect: { '?': 'any' } };
const PagedResultDelivery: Shape = { items: [Delivery], page: 'number', pageSize: 'number', totalItems: 'number', totalPages: 'number', hasNext: 'boolean' };
const DeliveryOfWidget: Shape = { eventId: 'string', integrationId: 'string', integrationName: { '?': 'string' }, kind: 'string', occurredAt: 'string', receivedAt: 'string', widgetId: { '?': 'string' }, state: 'string', attempts: 'number', duplicates: 'number', reason: { '?': 'string' }, publishedAt: { '?': 'string' }, position: { '?': 'string' }, effect: { '?': 'any' }, payload: 'any' };
const PagedResultDeliveryOfWidget: Shape = { items: [DeliveryOfWidget], page: 'number', pageSize: 'number', totalItems: 'number', totalPages: 'number', hasNext: 'boolean' };
const DeliveryWithPayload: Shape = { eventId: 'string', integrationId: 'string', integrationName: { '?': 'string' }, kind: 'string', occurredAt: 'string', receivedAt: 'string', widgetId: { '?': 'string' }, state: 'string', attempts: 'number', duplicates: 'number', reason: { '?': 'string' }, publishedAt: { '?': 'string' }, position: { '?': 'string' }, effect: { '?': 'any' }, payload: 'any', event: { '?': WidgetEvent } };
const Mistake: Shape = { detail: 'string', code: 'string' };
const Refusal: Shape = { requestId: 'string', refusedAt: 'string', code: 'string', status: 'number', detail: 'string', errors: [Mistake], clientAddress: { '?': 'string' }, webhookId: { '?': 'string' }, unlisted: 'number' };
const PagedResultRefusal: Shape = { items: [Refusal], page: 'number', pageSize: 'number', totalItems: 'number', totalPages: 'number', hasNext: 'boolean' };
const HookCounts: Shape = { integrationId: 'string', integrationName: 'string', startsAt: 'string', accepted: ['number'], refused: ['number'] };
const PagedResultHookCounts: Shape = { items: [HookCounts], page: 'number', pageSize: 'number', totalItems: 'number', totalPages: 'number', hasNext: 'boolean' };
const Redrive: Shape = { eventId: 'string', outcome: 'string' };
const RedriveReport: Shape = { items: [Redrive], next: { '?': 'string' } };
const QuarantinedText: Shape = { id: 'string', reason: 'string', jobId: 'string', integrationId: { '?': 'string' }, quarantinedAt: 'string', sizeBytes: 'number' };
const PagedResultQuarantinedText: Shape = { items: [QuarantinedText], page: 'number', pageSize: 'number', totalItems: 'number', totalPages: 'number', hasNext: 'boolean' };
const QuarantinedTextWithText: Shape = { id: 'string', reason: 'string', jobId: 'string', integrationId: { '?': 'string' }, quarantinedAt: 'string', sizeBytes: 'number', text: 'string' };
const AuditEvent: Shape = { id: 'string', occurredAt: 'string', action: 'string', operation: { '?': 'string' }, outcome: 'string', code: { '?': 'string' }, actor: 'any', actorName: { '?': 'string' }, target: { '?': 'any' }, targetName: { '?': 'string' }, clientAddress: { '?': 'string' }, emailHmac: { '?': 'string' }, before: { '?': 'any' }, after: { '?': 'any' }, requestId: { '?': 'string' }, unlisted: 'number' };
const PagedResultAuditEvent: Shape = { items: [AuditEvent], page: 'number', pageSize: 'number', totalItems: 'number', totalPages: 'number', hasNext: 'boolean' };
const Overview: Shape = { at: 'string', history: 'any', eventDelay: 'any', queues: { '?': ['any'] }, outboxesWaitingSince: { '?': 'string' }, deadLetters: { '?': ['any'] }, pods: ['any'], podsAsked: 'number', podsAnswered: 'number', workers: { '?': ['any'] }, workersAsked: 'number', conditions: ['any'] };

/** What each operation answers when it succeeds, by method and path. */
export const answers: Readonly<Record<string, Answer>> = {
  'GET /api/v1/widgets': { statuses: [200], body: PagedResultWidget },
  'POST /api/v1/widgets': { statuses: [201], body: Widget },
  'GET /api/v1/widgets/{id}': { statuses: [200], body: Widget },
  'POST /api/v1/events/hooks/{token}': { statuses: [202], body: null },
  'POST /api/v1/session': { statuses: [200], body: Session },
  'GET /api/v1/session': { statuses: [200], body: Session },
  'DELETE /api/v1/session': { statuses: [204], body: null },
  'DELETE /api/v1/sessions': { statuses: [204], body: null },
  'GET /api/v1/sessions': { statuses: [200], body: PagedResultActiveSession },
  'PUT /api/v1/session/password': { statuses: [200], body: Session },
  'DELETE /api/v1/sessions/{id}': { statuses: [204], body: null },
  'POST /api/v1/session/stream': { statuses: [201], body: PersonalStream },
  'POST /api/v1/users': { statuses: [201], body: User },
  'GET /api/v1/users': { statuses: [200], body: PagedResultUser },
  'GET /api/v1/users/{id}': { statuses: [200], body: User },
  'PATCH /api/v1/users/{id}': { statuses: [200], body: User },
  'POST /api/v1/users/{id}/unlock': { statuses: [204], body: null },
  'GET /api/v1/users/{id}/sessions': { statuses: [200], body: PagedResultActiveSession },
  'DELETE /api/v1/users/{id}/sessions': { statuses: [204], body: null },
  'DELETE /api/v1/users/{id}/sessions/{sessionId}': { statuses: [204], body: null },
  'GET /api/v1/subscriptions': { statuses: [200], body: PagedResultSubscription },
  'POST /api/v1/subscriptions': { statuses: [201], body: IssuedSubscription },
  'GET /api/v1/subscriptions/{id}': { statuses: [200], body: Subscription },
  'PATCH /api/v1/subscriptions/{id}': { statuses: [200], body: Subscription },
  'DELETE /api/v1/subscriptions/{id}': { statuses: [204], body: null },
  'POST /api/v1/subscriptions/{id}/rotate': { statuses: [200], body: IssuedSubscription },
  'DELETE /api/v1/subscriptions/{id}/previous-token': { statuses: [204], body: null },
  'GET /api/v1/subscriptions/{id}/connections': { statuses: [200], body: OpenConnections },
  'DELETE /api/v1/subscriptions/{id}/connections/{connectionId}': { statuses: [204], body: null },
  'GET /api/v1/integrations': { statuses: [200], body: PagedResultIntegration },
  'POST /api/v1/integrations': { statuses: [201], body: IssuedIntegration },
  'GET /api/v1/integrations/{id}': { statuses: [200], body: Integration },
  'PATCH /api/v1/integrations/{id}': { statuses: [200], body: Integration },
  'DELETE /api/v1/integrations/{id}': { statuses: [204], body: null },
  'POST /api/v1/integrations/{id}/rotate': { statuses: [200], body: RotatedIntegration },
  'DELETE /api/v1/integrations/{id}/previous-token': { statuses: [204], body: null },
  'PUT /api/v1/integrations/{id}/source/mapping': { statuses: [200], body: Integration },
  'PUT /api/v1/integrations/{id}/source/secrets': { statuses: [200], body: Integration },
  'POST /api/v1/integrations/preview': { statuses: [200], body: HookPreview },
  'POST /api/v1/integrations/{id}/preview': { statuses: [200], body: HookPreview },
  'GET /api/v1/integrations/{id}/samples': { statuses: [200], body: HookSamples },
  'PUT /api/v1/integrations/{id}/samples': { statuses: [200], body: HookSamples },
  'DELETE /api/v1/integrations/{id}/samples': { statuses: [204], body: null },
  'GET /api/v1/provision-tokens': { statuses: [200], body: PagedResultProvisionToken },
  'POST /api/v1/provision-tokens': { statuses: [201], body: IssuedProvisionToken },
  'GET /api/v1/provision-tokens/{id}': { statuses: [200], body: ProvisionToken },
  'PATCH /api/v1/provision-tokens/{id}': { statuses: [200], body: ProvisionToken },
  'DELETE /api/v1/provision-tokens/{id}': { statuses: [204], body: null },
  'POST /api/v1/provision-tokens/{id}/rotate': { statuses: [200], body: IssuedProvisionToken },
  'DELETE /api/v1/provision-tokens/{id}/previous-token': { statuses: [204], body: null },
  'GET /api/v1/integrations/{id}/deliveries': { statuses: [200], body: PagedResultDelivery },
  'GET /api/v1/deliveries': { statuses: [200], body: PagedResultDelivery },
  'GET /api/v1/widgets/{id}/deliveries': { statuses: [200], body: PagedResultDeliveryOfWidget },
  'GET /api/v1/integrations/{id}/deliveries/{eventId}': { statuses: [200], body: DeliveryWithPayload },
  'DELETE /api/v1/integrations/{id}/deliveries/{eventId}': { statuses: [204], body: null },
  'GET /api/v1/integrations/{id}/refusals': { statuses: [200], body: PagedResultRefusal },
  'GET /api/v1/hook-counts': { statuses: [200], body: PagedResultHookCounts },
  'POST /api/v1/integrations/{id}/deliveries/{eventId}/redrive': { statuses: [202], body: Delivery },
  'POST /api/v1/integrations/{id}/deliveries/redrive': { statuses: [200], body: RedriveReport },
  'POST /api/v1/deliveries/redrive': { statuses: [200], body: RedriveReport },
  'GET /api/v1/quarantine': { statuses: [200], body: PagedResultQuarantinedText },
  'GET /api/v1/quarantine/{id}': { statuses: [200], body: QuarantinedTextWithText },
  'DELETE /api/v1/quarantine/{id}': { statuses: [204], body: null },
  'GET /api/v1/audit-events': { statuses: [200], body: PagedResultAuditEvent },
  'GET /api/v1/overview': { statuses: [200], body: Overview },
};
