import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aCreation, aDelivery, anAuditEvent, aQuarantinedText, aUser, aWidget } from '../../drivers/app/builders.ts';
import { issueIntegration, issueProvisionToken, issueSubscription } from '../../drivers/app/issue-grants.ts';
import { openTestBackend } from '../../drivers/app/open-test-backend.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/app/test-app.ts';
import type { TestBackend } from '../../drivers/app/test-backend.ts';
import { type DamageableRows, openDamageableRows } from '../../faults/damaged-rows.ts';

let testBackend: TestBackend;
let rows: DamageableRows;
let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  testBackend = await openTestBackend();
  rows = await openDamageableRows(testBackend);
  service = await openTestApp({ sharedBackend: testBackend.backend });
  admin = await service.signedIn('admin');
});
afterAll(async () => {
  await service.close();
  await rows.close();
  await testBackend.dispose();
});

const ports = () => testBackend.backend;
const read = (url: string) => service.inject({ method: 'GET', url, headers: admin.headers });

/** What is stored of an entity: a row that stays whole, and one that is damaged. */
interface Case {
  readonly collection: string;
  /** Returns the address of the list, and the ids of both rows, the damaged one last. */
  readonly insert: () => Promise<{ readonly list: string; readonly ids: readonly [string, string] }>;
  /** The address of one row. */
  readonly one?: (id: string) => string;
  readonly idMember?: string;
}

const twice = async <T>(make: () => Promise<T>): Promise<[T, T]> => [await make(), await make()];

const cases: readonly Case[] = [
  {
    collection: 'widgets',
    insert: async () => ({
      list: '/api/v1/widgets',
      ids: await twice(async () => {
        const owner = { userId: randomUUID(), email: 'ann@example.com', notify: true };
        const widget = aWidget({ owner, labels: ['one'], lastEventAt: new Date() });
        await ports().widgets.insertOnce(aCreation(widget, null));
        return widget.id;
      }),
    }),
    one: (id) => `/api/v1/widgets/${id}`,
  },
  {
    collection: 'deliveries',
    insert: async () => {
      const { id: integrationId } = (await issueIntegration(ports())).grant;
      const ids = await twice(async () => {
        const delivery = aDelivery({ integrationId });
        await ports().ledger.register([delivery]);
        const effect = { version: 2, state: 'active', stateChanged: true, late: false } as const;
        const position = { epoch: 'k3f9', ms: 1, seq: 1 };
        await ports().ledger.markPublished([{ eventId: delivery.eventId, position, effect }], new Date());
        return delivery.eventId;
      });
      return { list: `/api/v1/integrations/${integrationId}/deliveries`, ids };
    },
    idMember: 'eventId',
  },
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
        list: `/api/v1/${path}`,
        ids: await twice(async () => (await issue[collection](ports())).grant.id),
      }),
      one: (id) => `/api/v1/${path}/${id}`,
    };
  }),
  {
    collection: 'users',
    insert: async () => ({
      list: '/api/v1/users',
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
      list: '/api/v1/sessions',
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
      list: '/api/v1/audit-events?pageSize=200',
      ids: await twice(async () => {
        const event = { ...anAuditEvent(), occurredAt: new Date() };
        await ports().auditEvents.append([event]);
        return event.id;
      }),
    }),
  },
  {
    collection: 'quarantine',
    insert: async () => ({
      list: '/api/v1/quarantine',
      ids: await twice(async () => {
        const text = aQuarantinedText();
        await ports().quarantine.add(text);
        return text.id;
      }),
    }),
    one: (id) => `/api/v1/quarantine/${id}`,
  },
];

describe.each(cases)(
  '$collection, with each member of one row damaged in turn',
  ({ collection, insert, one, idMember = 'id' }) => {
    test('the list has the other rows, and says that one is left out; the row itself is a 500 that says why', async () => {
      const { list, ids } = await insert();
      const [whole, damaged] = ids;
      const listIds = async (): Promise<{ ids: readonly string[]; unreadable: number }> => {
        const response = await read(list);
        expect(response.statusCode, response.body).toBe(200);
        const body = response.json();
        return {
          ids: body.items.map((item: Record<string, string>) => item[idMember]),
          unreadable: body.unreadableItems ?? 0,
        };
      };
      expect((await listIds()).ids).toEqual(expect.arrayContaining([whole, damaged]));
      let leftOut = 0;
      for (const damage of await rows.listDamages(collection, damaged)) {
        await damage.apply();
        const what = `${damage.member} = ${JSON.stringify(damage.value)}`;
        const found = await listIds();
        expect(found.ids, what).toContain(whole);
        expect(found.unreadable, what).toBeLessThanOrEqual(found.ids.includes(damaged) ? 0 : 1);
        leftOut += found.unreadable;
        if (one !== undefined) {
          const response = await read(one(damaged));
          if (found.unreadable === 1 && response.statusCode !== 404) {
            expect([200, 500], what).toContain(response.statusCode);
            if (response.statusCode === 500) expect(response.json().detail, what).toMatch(/stored row .* is damaged/);
          } else expect([200, 404, 500], what).toContain(response.statusCode);
        }
        await damage.undo();
      }
      expect(leftOut).toBeGreaterThan(0);
    });
  },
);
