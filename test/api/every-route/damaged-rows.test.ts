import { randomUUID } from 'node:crypto';
import type { HookSource } from '@widget-service/shared/entities/hook-source.ts';
import { measureBackend } from '@widget-service/shared/metrics/measure-backend.ts';
import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { toHour } from '@widget-service/shared/ports/hook-count-store.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  aCreation,
  aDelivery,
  anAuditEvent,
  aQuarantinedText,
  aRefusal,
  aSample,
  aUser,
  aWidget,
  awkwardSource,
} from '../../drivers/app/builders.ts';
import { issueIntegration, issueProvisionToken, issueSubscription } from '../../drivers/app/issue-grants.ts';
import { openTestBackend } from '../../drivers/app/open-test-backend.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/app/test-app.ts';
import type { TestBackend } from '../../drivers/app/test-backend.ts';
import { type DamageableRows, openDamageableRows } from '../../faults/damaged-rows.ts';

let testBackend: TestBackend;
let rows: DamageableRows;
let service: TestApp;
let admin: TestCaller;
const metrics = createMetrics();
const warnings: unknown[] = [];
beforeAll(async () => {
  testBackend = await openTestBackend({ onWarning: (...warning: unknown[]) => void warnings.push(warning) });
  rows = await openDamageableRows(testBackend);
  service = await openTestApp({ sharedBackend: measureBackend(testBackend.backend, metrics) });
  admin = await service.signedIn('admin');
});
afterAll(async () => {
  await service.close();
  await rows.close();
  await testBackend.dispose();
});

const ports = () => testBackend.backend;
/** How many damaged rows of a port have been counted. */
async function countUnreadable(port: keyof Backend): Promise<number> {
  const { values } = await metrics.rowsUnreadable.get();
  return values.find(({ labels }) => labels.port === port)?.value ?? 0;
}
const read = (url: string) => service.get(url, admin.headers);

/** What is stored of an entity: a row that stays whole, and one that is damaged. */
interface Case {
  readonly collection: string;
  /** The port that reads it. Left out: it has the name of the collection. */
  readonly port?: keyof Backend;
  /** Returns the addresses of the lists with both rows, and the ids of the rows, the damaged one last. */
  readonly insert: () => Promise<{ readonly lists: readonly string[]; readonly ids: readonly [string, string] }>;
  /** Of `DamageableRows`, by the id of the row. Left out: the id. */
  readonly toKey?: (id: string) => string;
  /** The answer only leaves the row out, or shows 0 instead of its counts. Left out: it also says so. */
  readonly isUnannounced?: true;
  /** The address of one row. */
  readonly one?: (id: string) => string;
  readonly idMember?: string;
}

const source: HookSource = {
  ...awkwardSource,
  scheme: {
    ...{ algorithm: 'hmac-sha256', header: 'x-signature', separator: null, prefix: '', encoding: 'hex' },
    ...{ signed: '{timestamp}.{body}', timestamp: { header: 'x-time', unit: 'seconds' } },
    ...{ toleranceSeconds: 300, idHeader: null, secretEncoding: 'text', challengeParameter: null },
  },
};

const twice = async <T>(make: () => Promise<T>): Promise<[T, T]> => [await make(), await make()];

const cases: readonly Case[] = [
  {
    collection: 'widgets',
    insert: async () => ({
      lists: ['/api/v1/widgets'],
      ids: await twice(async () => {
        const owner = { userId: randomUUID(), email: 'ann@example.com', notify: true };
        const widget = aWidget({ owner, labels: ['one'], lastEventAt: new Date() });
        await ports().widgets.insertOnce(aCreation(widget, null));
        return widget.id;
      }),
    }),
    one: (id) => `/api/v1/widgets/${id}`,
  },
  (() => {
    let integrationId = '';
    return {
      collection: 'deliveries',
      insert: async () => {
        integrationId = (await issueIntegration(ports())).grant.id;
        const { id: widgetId } = aWidget();
        await ports().widgets.insertOnce(aCreation(aWidget({ id: widgetId }), null));
        const ids = await twice(async () => {
          const delivery = aDelivery({ integrationId, widgetId, receivedAt: new Date() });
          await ports().ledger.register([delivery]);
          const effect = { version: 2, state: 'active', stateChanged: true, late: false } as const;
          const position = { epoch: 'k3f9', ms: 1, seq: 1 };
          await ports().ledger.markPublished([{ eventId: delivery.eventId, position, effect }], new Date());
          return delivery.eventId;
        });
        const owners = [`integrations/${integrationId}/`, '', `widgets/${widgetId}/`];
        return { lists: owners.map((owner) => `/api/v1/${owner}deliveries`), ids };
      },
      port: 'ledger',
      one: (id: string) => `/api/v1/integrations/${integrationId}/deliveries/${id}`,
      idMember: 'eventId',
    };
  })(),
  ...(['subscriptions', 'integrations', 'provisionTokens'] as const).map((collection): Case => {
    const path = collection === 'provisionTokens' ? 'provision-tokens' : collection;
    const issue = {
      subscriptions: issueSubscription,
      integrations: issueIntegration,
      provisionTokens: issueProvisionToken,
    };
    return {
      collection,
      insert: async () => ({
        lists: [`/api/v1/${path}`],
        ids: await twice(async () => (await issue[collection](ports(), { source })).grant.id),
      }),
      one: (id) => `/api/v1/${path}/${id}`,
    };
  }),
  {
    collection: 'users',
    insert: async () => ({
      lists: ['/api/v1/users'],
      ids: await twice(async () => {
        const user = aUser();
        await ports().users.insert(user);
        return user.id;
      }),
    }),
    one: (id) => `/api/v1/users/${id}`,
  },
  {
    collection: 'sessions',
    insert: async () => ({
      lists: ['/api/v1/sessions'],
      ids: await twice(async () => {
        const [now, id] = [new Date(), randomUUID()];
        const times = { createdAt: now, lastSeenAt: now, expiresAt: new Date(now.getTime() + 3_600_000) };
        const session = { id, digest: randomUUID(), userId: admin.userId, device: 'x', address: null, ...times };
        await ports().sessions.insert(session);
        return id;
      }),
    }),
  },
  {
    collection: 'auditEvents',
    insert: async () => ({
      lists: ['/api/v1/audit-events?pageSize=200'],
      ids: await twice(async () => {
        const event = { ...anAuditEvent(), occurredAt: new Date() };
        await ports().auditEvents.insert(event);
        return event.id;
      }),
    }),
  },
  {
    collection: 'quarantine',
    insert: async () => ({
      lists: ['/api/v1/quarantine'],
      ids: await twice(async () => {
        const text = aQuarantinedText();
        await ports().quarantine.insert(text);
        return text.id;
      }),
    }),
    one: (id) => `/api/v1/quarantine/${id}`,
  },
  ...(['refusals', 'samples'] as const).map((collection): Case => {
    let integrationId = '';
    return {
      collection,
      insert: async () => {
        integrationId = (await issueIntegration(ports(), { source: awkwardSource })).grant.id;
        const samplesKeptUntil = new Date(Date.now() + 3_600_000);
        await ports().integrations.change(integrationId, () => ({ samplesKeptUntil }));
        const ids = await twice(async () => {
          const [requestId, at] = [randomUUID(), new Date()];
          const common = { integrationId, requestId, refusedAt: at, expiresAt: samplesKeptUntil };
          await ports().refusals.insert(
            aRefusal({ ...common, errors: [{ detail: 'Must be given.', code: 'required' }] }),
          );
          await ports().samples.insert(aSample(common));
          return requestId;
        });
        return { lists: [`/api/v1/integrations/${integrationId}/${collection}`], ids };
      },
      idMember: 'requestId',
      ...(collection === 'samples' ? { isUnannounced: true } : {}),
    };
  }),
  {
    collection: 'hookCounts',
    insert: async () => ({
      lists: ['/api/v1/hook-counts'],
      ids: await twice(async () => {
        const { id: integrationId } = (await issueIntegration(ports())).grant;
        const counts = { integrationId, hour: toHour(new Date()), accepted: 3, refused: 2 };
        await ports().hookCounts.add([counts]);
        return integrationId;
      }),
    }),
    toKey: (id) => `${toHour(new Date()).toISOString()} ${id}`,
    idMember: 'integrationId',
    isUnannounced: true,
  },
];

describe.each(cases)(
  '$collection, with each member of one row damaged in turn',
  ({ collection, port = collection as keyof Backend, insert, toKey = String, one, idMember = 'id', isUnannounced }) => {
    test('the lists have the other rows, and say that one is left out; the row itself is a 500 that says why', async () => {
      const { lists, ids } = await insert();
      const [whole, damaged] = ids;
      const listIds = async (list: string): Promise<{ ids: readonly string[]; unreadable: number }> => {
        const response = await read(list);
        expect(response.statusCode, response.body).toBe(200);
        const body = response.json();
        const ids = body.items.map((item: Record<string, string>) => item[idMember]);
        return { ids, unreadable: body.unreadableItems ?? 0 };
      };
      for (const list of lists) {
        expect((await listIds(list)).ids).toEqual(expect.arrayContaining([whole, damaged]));
      }
      const countedBefore = await countUnreadable(port);
      const leftOut = new Map(lists.map((list) => [list, 0]));
      for (const damage of await rows.listDamages(collection, toKey(damaged))) {
        await damage.apply();
        let isLeftOut = false;
        for (const list of lists) {
          const what = `${list}: ${damage.member} = ${String(damage.value)}`;
          const found = await listIds(list);
          expect(found.ids, what).toContain(whole);
          expect(found.unreadable, what).toBeLessThanOrEqual(found.ids.includes(damaged) ? 0 : 1);
          isLeftOut = found.unreadable === 1;
          leftOut.set(list, (leftOut.get(list) ?? 0) + found.unreadable);
        }
        if (one !== undefined) {
          const what = `${damage.member} = ${String(damage.value)}`;
          const response = await read(one(damaged));
          if (isLeftOut && response.statusCode !== 404) {
            expect([200, 500], what).toContain(response.statusCode);
            if (response.statusCode === 500) expect(response.json().detail, what).toMatch(/stored row .* is damaged/);
          } else expect([200, 404, 500], what).toContain(response.statusCode);
        }
        await damage.undo();
      }
      for (const [list, count] of leftOut) {
        if (isUnannounced) expect(count, list).toBe(0);
        else expect(count, list).toBeGreaterThan(0);
      }
      const announced = [...leftOut.values()].reduce((sum, count) => sum + count, 0);
      expect((await countUnreadable(port)) - countedBefore).toBeGreaterThanOrEqual(Math.max(1, announced));
      const row = expect.objectContaining({ of: expect.any(String), id: expect.stringContaining(damaged) });
      expect(warnings).toContainEqual(['store.row_unreadable', row]);
    });
  },
);
