import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { describe, expect, test } from 'vitest';
import { aDelivery } from '../../drivers/app/builders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { consumeUntil } from '../../processing/consume.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

type Integration = Awaited<ReturnType<typeof service.issueHookToken>>;
type Listed = { readonly items: Record<string, unknown>[]; readonly totalItems: number; readonly hasNext: boolean };

const hook = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z', widgetId: null, payload: { reading: 1 } };

/** Posts a hook, and returns its event id. */
async function post({ token }: Integration, webhookId: string, payload: object = hook): Promise<string> {
  const headers = { 'webhook-id': Buffer.from(webhookId).toString('latin1') };
  const response = await service.post(`/api/v1/events/hooks/${token}`, payload, headers);
  return String(response.headers['webhook-event-id'] ?? '');
}

async function list(
  kind: 'deliveries' | 'refusals',
  { integrationId }: Integration,
  query: Record<string, string>,
): Promise<Listed> {
  const url = `/api/v1/integrations/${integrationId}/${kind}?${new URLSearchParams(query)}`;
  return (await admin.get(url)).json();
}

const processAll = (...eventIds: string[]) =>
  consumeUntil(
    service.backend,
    async () => {
      const rows = await Promise.all(eventIds.map((eventId) => service.backend.ledger.get(eventId)));
      return rows.every((row) => row?.state === 'published');
    },
    systemClock,
  );

const onePage = { page: 1, pageSize: 50, totalPages: 1, hasNext: false };
const nothing = { items: [], totalItems: 0, totalPages: 0, hasNext: false };

describe('the parameter webhookId', () => {
  test('tells whether a hook arrived, died, was refused, or never came', async () => {
    const integration = await service.issueHookToken();
    const arrived = await post(integration, 'arrived');
    await processAll(arrived);
    const dying = await post(integration, 'dead');
    const { integrationId } = integration;
    await service.backend.ledger.markDead(aDelivery({ eventId: dying, integrationId }), 'store-refused');
    await post(integration, 'refused', { kind: 'exploded' });
    await eventually(async () => (await list('refusals', integration, {})).totalItems === 1, 'the refusal is listed');

    const ask = async (webhookId: string) => ({
      deliveries: (await list('deliveries', integration, { webhookId })).items,
      refusals: (await list('refusals', integration, { webhookId })).items,
    });
    expect(await ask('arrived')).toEqual({
      deliveries: [expect.objectContaining({ eventId: arrived, state: 'published' })],
      refusals: [],
    });
    expect(await ask('dead')).toEqual({
      deliveries: [expect.objectContaining({ eventId: dying, state: 'dead', reason: 'store-refused' })],
      refusals: [],
    });
    expect(await ask('refused')).toEqual({
      deliveries: [],
      refusals: [expect.objectContaining({ code: 'invalid-request', webhookId: 'refused' })],
    });
    expect(await ask('never')).toEqual({ deliveries: [], refusals: [] });
  });

  test('finds a hook whose webhook-id has more than ASCII characters and is longer than refusals store', async () => {
    const integration = await service.issueHookToken();
    // The cut at 256 leaves half of the last character.
    const webhookId = `${'ü'.repeat(255)}🦄 end`;
    const eventId = await post(integration, webhookId);
    await processAll(eventId);
    expect(await list('deliveries', integration, { webhookId })).toMatchObject({ items: [{ eventId }], ...onePage });
    await post(integration, webhookId, {});
    await eventually(async () => (await list('refusals', integration, { webhookId })).totalItems === 1, 'it is listed');
    expect(await list('refusals', integration, { webhookId: 'ü'.repeat(255) })).toMatchObject(nothing);
    expect(await list('deliveries', integration, { webhookId: webhookId.slice(0, 256) })).toMatchObject(nothing);
  });
});
