import { randomBytes } from 'node:crypto';
import { openFailFastConnection, openSubscriberConnection } from '@widget-service/cluster/redis/connections.ts';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { RedisPeerRequests } from '@widget-service/cluster/redis/redis-peer-requests.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { findQueueRedis } from '../drivers/cluster/test-redis.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { openTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';

/** The embedded pod asks itself, without a connection. */
describe.runIf(inject('backend') === 'cluster')('RedisPeerRequests: outages of Redis', () => {
  let proxy: TcpProxy;
  let redis: Redis;
  let subscribers: Redis[];
  let pods: RedisPeerRequests[];
  beforeEach(async () => {
    const url = new URL(findQueueRedis().operatorUrl);
    proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port || 6379) });
    const address = `redis://127.0.0.1:${proxy.port}/`;
    const target = { url: address, setting: 'REDIS_URL', onWarning: () => undefined } as const;
    redis = openFailFastConnection(target, 'test');
    const { podQuestions: questions, peerAnswers: answers } = redisKeys(`t-${randomBytes(8).toString('hex')}`);
    const channels = { questions, answers };
    subscribers = [];
    const connectSubscriber = () => {
      const subscriber = openSubscriberConnection(target, 'test');
      subscribers.push(subscriber);
      return subscriber;
    };
    pods = [1, 2].map(() => new RedisPeerRequests({ redis, channels, connectSubscriber, onWarning: target.onWarning }));
    pods.forEach((pod, index) => void pod.serve((question) => `${index} ${question}`));
    await expectBothAnswer('first');
  });
  afterEach(async () => {
    for (const pod of pods) pod.close();
    redis.disconnect();
    await proxy.close();
  });

  const ask = (question: string) => pods[0]!.ask(question, 300).catch(() => null);
  const expectBothAnswer = (question: string) =>
    eventually(async () => (await ask(question))?.answers.length === 2, 'both pods answer');

  test('a pod whose subscription was lost is not asked, and soon subscribes again', async () => {
    subscribers[1]?.disconnect(true);
    await expectBothAnswer('again');
    expect(await ask('again')).toEqual({ asked: 2, answers: expect.arrayContaining(['0 again', '1 again']) });
  });

  test('rejects with UnavailableError while Redis is unavailable, and works again afterwards', async () => {
    proxy.cut();
    await eventually(async () => (await ask('during')) === null, 'the question fails');
    await expect(pods[0]!.ask('during', 300)).rejects.toThrow(UnavailableError);
    await proxy.mend();
    await expectBothAnswer('after');
  });
});
