import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import type { StoredAuditEvent } from '@widget-service/shared/entities/audit-event.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { describe, expect, test } from 'vitest';
import { aCreation, aDelivery, anAuditEvent } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const rowsMax = 10_000;
const startedAtMs = Date.now();

/** The offsets that any store was asked for. */
const offsets: number[] = [];

/** Returns the backend's stores, which record the offset of each range of rows that they are asked for. */
function recordOffsets(backend: Backend): Partial<Backend> {
  const watch = (store: object) =>
    new Proxy(store, {
      get: (target, name) => {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          for (const arg of args) {
            if (typeof arg === 'object' && arg !== null && 'offset' in arg) offsets.push(Number(arg.offset));
          }
          return Reflect.apply(member, target, args);
        };
      },
    });
  const stores = Object.entries(backend).filter(([, store]) => typeof store === 'object' && store !== null);
  return Object.fromEntries(stores.map(([name, store]) => [name, watch(store)]));
}

const service = await openSharedApp({ replace: recordOffsets });
const admin = await service.signedIn('admin');

const get = (url: string) => admin.get(url);

test('no list asks a store to skip more than 10 000 rows, whatever page is requested', async () => {
  const { integrationId } = await service.issueHookToken();
  const { widget, ...creation } = aCreation();
  await service.backend.widgets.insertOnce({ widget, ...creation });
  const ids: Readonly<Record<string, string>> = {
    integrations: integrationId,
    widgets: widget.id,
    users: admin.userId,
  };
  const paths = new Set(service.routes.filter(({ method }) => method === 'GET').map(({ url }) => url));
  const lists: string[] = [];
  for (const path of paths) {
    const url = path.replace(
      /^(\/api\/v1\/(\w+)\/):id/,
      (_, start: string, name: string) => `${start}${ids[name] ?? ''}`,
    );
    const response = await get(`${url}?page=2147483647&pageSize=200`);
    if (response.statusCode !== 200 || !response.body.startsWith('{"items":')) continue;
    lists.push(path);
    expect(response.json(), path).toMatchObject({ items: [], hasNext: false });
  }
  expect(lists.length).toBeGreaterThanOrEqual(10);
  expect(offsets.filter((offset) => offset > rowsMax)).toEqual([]);
});

describe('a list of more than 10 000 items', () => {
  const size = rowsMax + 20;
  const indices = [...new Array(size).keys()];
  const lists: { name: string; fill: () => Promise<string> }[] = [
    {
      name: 'deliveries',
      fill: async () => {
        const { integrationId } = await service.issueHookToken();
        await register(indices.map((index) => aDelivery({ integrationId, receivedAt: new Date(startedAtMs + index) })));
        return `/api/v1/integrations/${integrationId}/deliveries?`;
      },
    },
    {
      name: 'deliveries of a widget',
      fill: async () => {
        const { widget, ...creation } = aCreation();
        await service.backend.widgets.insertOnce({ widget, ...creation });
        const widgetId = widget.id;
        await register(indices.map((index) => aDelivery({ widgetId, receivedAt: new Date(startedAtMs + index) })));
        return `/api/v1/widgets/${widgetId}/deliveries?`;
      },
    },
    {
      name: 'audit events',
      fill: async () => {
        const target = { kind: 'user', id: randomUUID() } as const;
        const events = indices.map((index) => anAuditEvent({ target, occurredAt: new Date(startedAtMs + index) }));
        const insert = (part: readonly StoredAuditEvent[]) =>
          Promise.all(part.map((event) => service.backend.auditEvents.insert(event)));
        await inParts(events, insert, 50);
        return `/api/v1/audit-events?targetId=${target.id}&`;
      },
    },
  ];

  const register = (deliveries: readonly Delivery[]) =>
    inParts(deliveries, (part) => service.backend.ledger.register(part));

  /** A store has a deadline for each write. */
  async function inParts<Row>(
    rows: readonly Row[],
    write: (part: readonly Row[]) => Promise<unknown>,
    size = 1_000,
  ): Promise<void> {
    for (let start = 0; start < rows.length; start += size) await write(rows.slice(start, start + size));
  }

  test.each(lists)('is read up to there, and from there by time: $name', async ({ fill }) => {
    const list = await fill();
    const lastPage = await get(`${list}page=50&pageSize=200`);
    expect(lastPage.json()).toMatchObject({ items: { length: 200 }, totalItems: 10_001, hasNext: true });
    const errors = [{ parameter: 'page', code: 'too-large', detail: expect.stringContaining('10000') }];
    for (const page of [51, 2_147_483_647]) {
      expectProblem(await get(`${list}page=${page}&pageSize=200`), { status: 400, code: 'invalid-request', errors });
    }
    const to = new Date(startedAtMs + 20).toISOString();
    expect((await get(`${list}to=${to}`)).json()).toMatchObject({ items: { length: 20 }, totalItems: 20 });
    expect((await get(`${list}to=${to}&page=2147483647`)).json()).toMatchObject({ items: [], totalItems: 20 });
    expect(offsets.filter((offset) => offset > rowsMax)).toEqual([]);
  });
});
