import createClient from 'openapi-fetch';
// The test that type-checks this program generates this file from the OpenAPI document.
import type { components, paths } from './interface.ts';

type Schemas = components['schemas'];

const client = createClient<paths>({ baseUrl: 'https://widgets.example.com' });
const id = '019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01';
const byId = { params: { path: { id } } } as const;

/** The code of a client author: calls every operation once and uses the type of each response. */
async function useEveryOperation(): Promise<void> {
  await useSession();
  const widget = await useWidgets();
  await useEvents(widget);
  await useSubscriptions();
  await useIntegrations();
  await useDeliveries();
  await useProvisionTokens();
  await useUsers();
  await useQuarantine();
  await useOverview();
  await useAuditEvents();
}

async function useSession(): Promise<void> {
  const signedIn = await client.POST('/api/v1/session', { body: { email: 'kim@example.com', password: 'a secret' } });
  const session: Schemas['Session'] = unwrap(signedIn);
  client.use({
    onRequest: ({ request }) => request.headers.set('X-Csrf-Token', session.csrfToken),
  });
  const shown: Schemas['Session'] = unwrap(await client.GET('/api/v1/session'));
  const ownStream = await client.GET('/api/v1/session/stream', { parseAs: 'stream' });
  const passwords = { currentPassword: 'a secret', newPassword: 'another one' };
  const renewed: Schemas['Session'] = unwrap(await client.PUT('/api/v1/session/password', { body: passwords }));
  const sessions = unwrap(await client.GET('/api/v1/sessions', { params: { query: { pageSize: 10 } } }));
  const ownSession: Schemas['ActiveSession'] | undefined = sessions.items.find(({ current }) => current);
  expectSuccess(await client.DELETE('/api/v1/sessions/{id}', byId));
  expectSuccess(await client.DELETE('/api/v1/session'));
  expectSuccess(await client.DELETE('/api/v1/sessions'));
  const atProvider = await client.GET('/api/v1/session/oidc', { params: { query: { returnTo: '/docs' } } });
  const back = await client.GET('/api/v1/session/oidc/callback', { params: { query: { code: 'one', state: 'two' } } });
  console.info(atProvider.response.status, back.error?.code);
  console.info(
    ownSession?.device,
    renewed.csrfToken,
    shown.user.email,
    shown.permissions.includes('widgets:create'),
    ownStream.response.status,
  );
}

async function useWidgets(): Promise<Schemas['Widget']> {
  const page = unwrap(
    await client.GET('/api/v1/widgets', { params: { query: { page: 1, pageSize: 200, state: 'active' } } }),
  );
  const body: Schemas['NewWidget'] = { name: 'Pump 7', state: 'retired', labels: ['north'], owner: null };
  const created = unwrap(
    await client.POST('/api/v1/widgets', { params: { header: { 'Idempotency-Key': 'one' } }, body }),
  );
  const widget: Schemas['Widget'] = unwrap(await client.GET('/api/v1/widgets/{id}', byId));
  const state: 'active' | 'retired' = widget.state;
  console.info(page.items.length, page.hasNext, created.version, state, widget.owner?.email);
  return widget;
}

async function useEvents({ id: widgetId }: Schemas['Widget']): Promise<void> {
  const path = { token: 'secret' };
  const body: Schemas['HookEvent'] = {
    kind: 'updated',
    occurredAt: '2026-03-02T10:59:58Z',
    widgetId,
    payload: { a: 1 },
  };
  expectSuccess(
    await client.POST('/api/v1/events/hooks/{token}', { params: { path, header: { 'webhook-id': 'one' } }, body }),
  );
  const stream = await client.GET('/api/v1/events/{token}', {
    params: { path, query: { lastEventId: 'earliest' } },
    parseAs: 'stream',
  });
  console.info(stream.response.status);
  const event: Pick<Schemas['WidgetEvent'], 'type' | 'data'> | null = null as Schemas['WidgetEvent'] | null;
  const closing: Schemas['StreamClosing']['reason'] = 'lifetime';
  console.info(event?.data.widget?.version, event?.type === 'widget.created', closing);
}

async function useSubscriptions(): Promise<void> {
  const body: Schemas['NewSubscription'] = { name: 'Control room', filter: { types: ['widget.retired'] } };
  const issued = unwrap(await client.POST('/api/v1/subscriptions', { body }));
  const page = unwrap(await client.GET('/api/v1/subscriptions', { params: { query: { pageSize: 10 } } }));
  const subscription: Schemas['Subscription'] = unwrap(await client.GET('/api/v1/subscriptions/{id}', byId));
  unwrap(await client.PATCH('/api/v1/subscriptions/{id}', { ...byId, body: { name: 'Screen', filter: null } }));
  const rotated = unwrap(
    await client.POST('/api/v1/subscriptions/{id}/rotate', { ...byId, body: { overlapSeconds: 0 } }),
  );
  const open: Schemas['OpenConnections'] = unwrap(await client.GET('/api/v1/subscriptions/{id}/connections', byId));
  const byConnection = { params: { path: { id, connectionId: open.items[0]?.id ?? id } } };
  expectSuccess(await client.DELETE('/api/v1/subscriptions/{id}/connections/{connectionId}', byConnection));
  expectSuccess(await client.DELETE('/api/v1/subscriptions/{id}/previous-token', byId));
  expectSuccess(await client.DELETE('/api/v1/subscriptions/{id}', byId));
  console.info(issued.url, page.totalItems, subscription.filter.labels?.join(), rotated.previousExpiresAt);
}

async function useIntegrations(): Promise<void> {
  const body: Schemas['NewIntegration'] = { name: 'Plant north', signature: 'standard-webhooks', rate: null };
  const issued = unwrap(await client.POST('/api/v1/integrations', { body }));
  const page = unwrap(await client.GET('/api/v1/integrations', { params: { query: { page: 2 } } }));
  const integration: Schemas['Integration'] = unwrap(await client.GET('/api/v1/integrations/{id}', byId));
  unwrap(await client.PATCH('/api/v1/integrations/{id}', { ...byId, body: { rate: 100 } }));
  const rotated = unwrap(
    await client.POST('/api/v1/integrations/{id}/rotate', {
      ...byId,
      body: { signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    }),
  );
  const mapping: Schemas['NewHookMapping'] = { kind: { from: '/action', otherwise: 'updated' } };
  const source: Schemas['NewHookSource'] = { preset: 'github', secrets: ['a secret of GitHub'], mapping };
  const tried = unwrap(await client.POST('/api/v1/integrations/preview', { body: { source, body: '{}' } }));
  const previewed = unwrap(await client.POST('/api/v1/integrations/{id}/preview', { ...byId, body: { body: '{}' } }));
  unwrap(await client.PUT('/api/v1/integrations/{id}/source/mapping', { ...byId, body: mapping }));
  unwrap(
    await client.PUT('/api/v1/integrations/{id}/source/secrets', {
      ...byId,
      body: { secrets: ['another secret of GitHub'] },
    }),
  );
  unwrap(await client.PUT('/api/v1/integrations/{id}/samples', { ...byId, body: { keepForSeconds: 600 } }));
  const samples = unwrap(await client.GET('/api/v1/integrations/{id}/samples', byId));
  expectSuccess(await client.DELETE('/api/v1/integrations/{id}/samples', byId));
  console.info(tried.outcome, previewed.event?.data.widget?.version, samples.items[0]?.headers['content-type']?.[0]);
  expectSuccess(await client.DELETE('/api/v1/integrations/{id}/previous-token', byId));
  expectSuccess(await client.DELETE('/api/v1/integrations/{id}', byId));
  console.info(issued.signingSecret, page.items[0]?.lastReceivedAt, integration.deduplicateByContent, rotated.token);
}

async function useDeliveries(): Promise<void> {
  const byEvent = { params: { path: { id, eventId: id } } };
  const query = { state: 'dead', pageSize: 10 } as const;
  const page = unwrap(await client.GET('/api/v1/integrations/{id}/deliveries', { params: { path: { id }, query } }));
  const ofAll = unwrap(await client.GET('/api/v1/deliveries', { params: { query } }));
  const ofWidget = unwrap(await client.GET('/api/v1/widgets/{id}/deliveries', { params: { path: { id } } }));
  const delivery = unwrap(await client.GET('/api/v1/integrations/{id}/deliveries/{eventId}', byEvent));
  const redriven: Schemas['Delivery'] = unwrap(
    await client.POST('/api/v1/integrations/{id}/deliveries/{eventId}/redrive', byEvent),
  );
  const report: Schemas['RedriveReport'] = unwrap(
    await client.POST('/api/v1/integrations/{id}/deliveries/redrive', { ...byId, body: { eventIds: [id] } }),
  );
  const next = unwrap(await client.POST('/api/v1/deliveries/redrive', { body: { state: 'dead', after: id } }));
  expectSuccess(await client.DELETE('/api/v1/integrations/{id}/deliveries/{eventId}', byEvent));
  const refusals = unwrap(await client.GET('/api/v1/integrations/{id}/refusals', { params: { path: { id } } }));
  const counts = unwrap(await client.GET('/api/v1/hook-counts', { params: { query: { pageSize: 10 } } }));
  console.info(
    counts.items[0]?.accepted[23],
    page.items[0]?.reason,
    ofAll.items[0]?.integrationName,
    ofWidget.items[0]?.effect?.version,
    delivery.payload,
    redriven.state,
    report.items[0]?.outcome,
    next.next,
    refusals.items[0]?.errors[0]?.pointer,
  );
}

async function useQuarantine(): Promise<void> {
  const page = unwrap(await client.GET('/api/v1/quarantine', { params: { query: { pageSize: 10 } } }));
  const found: Schemas['QuarantinedTextWithText'] = unwrap(await client.GET('/api/v1/quarantine/{id}', byId));
  expectSuccess(await client.DELETE('/api/v1/quarantine/{id}', byId));
  console.info(page.items[0]?.reason, found.text);
}

async function useOverview(): Promise<void> {
  const overview: Schemas['Overview'] = unwrap(await client.GET('/api/v1/overview'));
  console.info(overview.pods[0]?.streamsOpen, overview.history.hooksAccepted.at(-1), overview.conditions[0]?.severity);
}

async function useAuditEvents(): Promise<void> {
  const query = { actorId: id, action: 'user.changed', from: '2026-03-01T10:00:00Z', pageSize: 10 } as const;
  const page = unwrap(await client.GET('/api/v1/audit-events', { params: { query } }));
  const event: Schemas['AuditEvent'] | undefined = page.items[0];
  console.info(event?.actor.kind, event?.target?.id, event?.before?.role, event?.unlisted);
}

async function useProvisionTokens(): Promise<void> {
  const issued = unwrap(await client.POST('/api/v1/provision-tokens', { body: { name: 'Importer', expiresAt: null } }));
  const page = unwrap(await client.GET('/api/v1/provision-tokens'));
  const provisionToken: Schemas['ProvisionToken'] = unwrap(await client.GET('/api/v1/provision-tokens/{id}', byId));
  unwrap(await client.PATCH('/api/v1/provision-tokens/{id}', { ...byId, body: { name: 'Importer 2' } }));
  const rotated = unwrap(await client.POST('/api/v1/provision-tokens/{id}/rotate', byId));
  expectSuccess(await client.DELETE('/api/v1/provision-tokens/{id}/previous-token', byId));
  expectSuccess(await client.DELETE('/api/v1/provision-tokens/{id}', byId));
  console.info(issued.token, page.items.length, provisionToken.permissions, rotated.token);
}

async function useUsers(): Promise<void> {
  const body: Schemas['NewUser'] = { email: 'kim@example.com', password: 'a secret of twelve', role: 'viewer' };
  const created: Schemas['User'] = unwrap(await client.POST('/api/v1/users', { body }));
  const page = unwrap(await client.GET('/api/v1/users'));
  unwrap(await client.GET('/api/v1/users/{id}', byId));
  unwrap(await client.PATCH('/api/v1/users/{id}', { ...byId, body: { disabled: true } }));
  const sessions = unwrap(await client.GET('/api/v1/users/{id}/sessions', byId));
  expectSuccess(await client.DELETE('/api/v1/users/{id}/sessions', byId));
  const bySession = { params: { path: { id, sessionId: id } } };
  expectSuccess(await client.DELETE('/api/v1/users/{id}/sessions/{sessionId}', bySession));
  console.info(sessions.items[0]?.lastUsedAt, created.role, page.items[0]?.lastSignInAt);
}

interface FetchResult<Data> {
  readonly data?: Data;
  /** Every error response of every operation is a problem. */
  readonly error?: Schemas['Problem'];
}

function unwrap<Data>({ data, error }: FetchResult<Data>): Data {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.errors?.[0]?.pointer ?? error?.detail}`);
  return data;
}

function expectSuccess({ error }: FetchResult<unknown>): void {
  if (error !== undefined) throw new Error(error.code);
}

await useEveryOperation();
