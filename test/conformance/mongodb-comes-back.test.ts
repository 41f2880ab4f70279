import { setTimeout as delay } from 'node:timers/promises';
import { openMongo } from '@widget-service/cluster/mongo/client.ts';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';

const clients = 10;
const outages = 4;

/** What is asked of MongoDB while all connections to it break again and again, by every client at once. */
describe.runIf(inject('backend') === 'cluster')('MongoDB whose connections all break under load', () => {
  it('is found again by every client', async () => {
    const url = new URL(process.env.MONGODB_URL ?? '');
    const proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port) });
    onTestFinished(() => proxy.close());
    url.port = String(proxy.port);
    const opened = await Promise.all(
      Array.from({ length: clients }, () => openMongo({ url: url.href, database: 'any', startTimeoutMs: 10_000 })),
    );
    onTestFinished(async () => void (await Promise.all(opened.map(({ close }) => close()))));
    const answers = ({ db }: (typeof opened)[number]) =>
      Promise.race([
        db.command({ ping: 1 }).then(
          () => true,
          () => false,
        ),
        delay(2_000, false),
      ]);
    let isOver = false;
    const load = opened.map(async (each) => {
      while (!isOver) await Promise.all([answers(each), answers(each)]);
    });
    for (let outage = 0; outage < outages; outage += 1) {
      await delay(500);
      proxy.cut();
      await delay(500);
      await proxy.mend();
    }
    isOver = true;
    await Promise.all(load);
    const allAnswer = async () => (await Promise.all(opened.map(answers))).every(Boolean);
    await eventually(allAnswer, 'every client is answered', 30_000);
    expect(await allAnswer()).toBe(true);
  });
});
