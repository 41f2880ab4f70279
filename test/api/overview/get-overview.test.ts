import { describe, expect, test } from 'vitest';
import { aDelivery } from '../../drivers/app/builders.ts';
import { testAdmin } from '../../drivers/app/console-client.ts';
import { openSharedApp, openSharedService } from '../../drivers/app/open-shared.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

const hourPoints = 240;

describe('GET /api/v1/overview', async () => {
  const service = await openSharedApp();

  const get = async (headers: Record<string, string>) => service.get('/api/v1/overview', headers);

  test('shows a service where all is well', async () => {
    const { headers } = await service.signedIn('admin');
    const response = await get(headers);
    expect(response.statusCode).toBe(200);
    const body = response.json();
    expect(body).toMatchObject({
      outboxesWaitingSince: null,
      deadLetters: [],
      conditions: [],
      workers: [],
    });
    expect(body.pods).toMatchObject([{ streamsOpen: 0, lagEvents: null, notReady: [], ageSeconds: 0 }]);
    expect(body.queues.map(({ jobs }: { jobs: number }) => jobs)).toEqual(body.queues.map(() => 0));
    expect(body.history).toMatchObject({ intervalSeconds: 15 });
    expect(body.eventDelay).toEqual({ windowSeconds: 300, p50Ms: null, p95Ms: null });
    for (const name of ['hooksAccepted', 'hooksRefused', 'eventsPublished', 'streamsOpen', 'personalStreamsOpen']) {
      expect(body.history[name], name).toHaveLength(hourPoints);
    }
    expect(Date.parse(body.at) - Date.parse(body.history.endsAt)).toBeLessThan(15_000);
  });

  test('names the integrations with dead deliveries, and says what to do', async () => {
    const { headers } = await service.signedIn('admin');
    const { integrationId } = await service.issueHookToken();
    const dead = [aDelivery({ integrationId }), aDelivery({ integrationId })];
    const ofDeletedIntegration = aDelivery();
    for (const delivery of [...dead, ofDeletedIntegration]) {
      await service.backend.ledger.markDead(delivery, 'store-refused');
    }
    const response = async () => (await get(headers)).json();
    // One answer is used for up to a second.
    await eventually(async () => (await response()).deadLetters.length > 0, 'a new answer');
    expect(await response()).toMatchObject({
      deadLetters: [{ integrationId, count: 2 }],
      conditions: [{ code: 'dead-letters', severity: 'ticket', runbook: 'dead-letters' }],
    });
  });
});

describe('an overview without its stores', async () => {
  const fail = async () => {
    throw new Error('the store is away');
  };
  const service = await openSharedApp({
    replace: ({ hookQueue, outboxes, ledger, processStates }) => ({
      hookQueue: overrideMethod(hookQueue, 'inspect', fail),
      ledger: overrideMethod(ledger, 'countDead', fail),
      outboxes: overrideMethod(outboxes, 'findOverdue', fail),
      processStates: overrideMethod(processStates, 'list', fail),
    }),
  });

  test('says what is missing, and that the store does not answer', async () => {
    const { headers } = await service.signedIn('admin');
    const response = await service.get('/api/v1/overview', headers);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      queues: null,
      outboxesWaitingSince: null,
      pods: [{ ageSeconds: 0 }],
      workers: null,
      conditions: [{ code: 'store-unavailable', severity: 'page', runbook: 'store-unavailable' }],
    });
  });
});

describe('the overview of a running service', async () => {
  const service = await openSharedService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });

  const headers = { 'content-type': 'application/json' };
  const credentials = JSON.stringify(testAdmin);
  const signedIn = await fetch(`${service.url}/api/v1/session`, { method: 'POST', headers, body: credentials });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const read = async () => {
    const response = await fetch(`${service.url}/api/v1/overview`, { headers: { cookie } });
    return (await response.json()) as {
      pods: { streamsOpen: number; lagEvents: number | null; notReady: string[] }[];
      eventDelay: { windowSeconds: number; p50Ms: number | null; p95Ms: number | null };
    };
  };

  test('counts the open streams of the pod, which is ready and not behind', async () => {
    const stream = await fetch(`${service.url}/api/v1/session/stream`, { headers: { cookie } });
    await eventually(async () => (await read()).pods[0]?.streamsOpen === 1, 'the stream is counted');
    expect((await read()).pods).toMatchObject([{ notReady: [] }]);
    await stream.body?.cancel();
  });

  test('shows how long hooks took to the streams', async () => {
    expect((await read()).eventDelay).toEqual({ windowSeconds: 300, p50Ms: null, p95Ms: null });
    const hookUrl = await service.issueHookUrl();
    const hook = { kind: 'updated', occurredAt: new Date().toISOString() };
    const accepted = await fetch(hookUrl, { method: 'POST', headers, body: JSON.stringify(hook) });
    expect(accepted.status).toBe(202);
    await eventually(async () => (await read()).eventDelay.p95Ms !== null, 'the event of the hook is measured');
    const { p50Ms, p95Ms } = (await read()).eventDelay;
    expect(p50Ms).toBeLessThanOrEqual(p95Ms ?? 0);
    expect(p95Ms).toBeLessThan(60_000);
  });
});
