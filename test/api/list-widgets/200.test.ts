import { randomUUID } from 'node:crypto';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { buildWidget, type WidgetState } from '@widget-service/shared/domain/widget.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const tailPosition: LogPosition = { epoch: 'k3f9', ms: 1_764_000_000_000, seq: 12 };
let currentTail: LogPosition | null = null;
const service = await openSharedApp({ tailPosition: () => currentTail });
const viewer = await service.signedIn('viewer');

const list = (query = '') => viewer.get(`/api/v1/widgets${query}`);

async function store(name: string, createdAt: Date, state: WidgetState = 'active'): Promise<void> {
  const widget = buildWidget({ name, state, labels: [], owner: null }, createUuidV7(), createdAt);
  const { updatedAt, retiredAt, lastEventAt, version } = widget;
  await service.backend.widgets.insertOnce({
    widget,
    created: {
      eventId: randomUUID(),
      kind: 'created',
      integrationId: null,
      occurredAt: createdAt.toISOString(),
      receivedAt: createdAt,
      payload: null,
      late: false,
      stateBefore: null,
      after: { state, updatedAt, retiredAt, lastEventAt, version },
    },
    idempotency: null,
  });
}

describe('GET /api/v1/widgets without widgets', () => {
  test('returns an empty page and no totals', async () => {
    const response = await list();
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      items: [],
      page: 1,
      pageSize: 50,
      totalItems: 0,
      totalPages: 0,
      hasNext: false,
      asOf: expect.any(String),
      streamCursor: null,
    });
    expect(Math.abs(Date.now() - 2_000 - Date.parse(response.json().asOf))).toBeLessThan(2_000);
    expect(response.headers.link).toMatch(
      /^<\?page=1&pageSize=50&asOf=[^>]+>; rel="first", <\?page=1&[^>]+>; rel="last"$/,
    );
  });
});

describe('GET /api/v1/widgets with seven widgets', () => {
  const startMs = Date.now() - 3_600_000;
  beforeAll(async () => {
    for (let n = 1; n <= 7; n += 1) await store(`w${n}`, new Date(startMs + n), n % 3 === 0 ? 'retired' : 'active');
  });

  const readNames = (response: { json(): { items: { name: string }[] } }) =>
    response.json().items.map(({ name }) => name);

  test('lists the newest widget first', async () => {
    expect(readNames(await list())).toEqual(['w7', 'w6', 'w5', 'w4', 'w3', 'w2', 'w1']);
  });

  test('returns pages that are linked by rel="next"', async () => {
    const first = await list('?pageSize=3');
    expect(first.json()).toMatchObject({ page: 1, pageSize: 3, totalItems: 7, totalPages: 3, hasNext: true });
    const listedNames = readNames(first);
    let response = first;
    for (;;) {
      const next = /<([^>]+)>; rel="next"/.exec(String(response.headers.link))?.[1];
      if (next === undefined) break;
      response = await list(next);
      listedNames.push(...readNames(response));
      expect(response.json().asOf).toBe(first.json().asOf);
    }
    expect(listedNames).toEqual(['w7', 'w6', 'w5', 'w4', 'w3', 'w2', 'w1']);
    expect(response.json()).toMatchObject({ page: 3, hasNext: false, totalItems: 7 });
    expect(String(response.headers.link)).toContain('page=2&pageSize=3');
  });

  test('filters by state', async () => {
    expect(readNames(await list('?state=retired'))).toEqual(['w6', 'w3']);
    const page = await list('?state=active&pageSize=2&page=2');
    expect(readNames(page)).toEqual(['w4', 'w2']);
    expect(page.json()).toMatchObject({ totalItems: 5, totalPages: 3, hasNext: true });
    expect(String(page.headers.link)).toContain('state=active');
  });

  test('returns an empty page past the end', async () => {
    const response = await list('?page=2147483647&pageSize=200');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ items: [], totalItems: 7, totalPages: 1, hasNext: false });
    expect(String(response.headers.link)).toMatch(/page=1&[^>]+>; rel="prev"/);
  });

  test('leaves out widgets created after asOf', async () => {
    const asOf = new Date(startMs + 4).toISOString();
    const response = await list(`?asOf=${asOf}`);
    expect(readNames(response)).toEqual(['w4', 'w3', 'w2', 'w1']);
    expect(response.json()).toMatchObject({ totalItems: 4, asOf });
  });

  test('sets asOf to the newest createdAt when a clock runs ahead', async () => {
    const ahead = new Date(Date.now() + 30_000);
    await store('ahead', ahead);
    const response = await list('?pageSize=1');
    expect(readNames(response)).toEqual(['ahead']);
    expect(response.json().asOf).toBe(ahead.toISOString());
    expect((await list('?page=2&pageSize=1')).json().asOf).toBe(ahead.toISOString());
  });

  test('readNames the tailPosition from which a stream continues', async () => {
    currentTail = tailPosition;
    expect((await list()).json().streamCursor).toBe('k3f9.1764000000000.12');
    currentTail = null;
  });
});
