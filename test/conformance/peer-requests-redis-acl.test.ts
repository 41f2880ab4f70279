import { randomBytes } from 'node:crypto';
import { openFailFastConnection, openSubscriberConnection } from '@widget-service/cluster/redis/connections.ts';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { RedisPeerRequests } from '@widget-service/cluster/redis/redis-peer-requests.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { eventually } from '../drivers/tools/eventually.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';

/** An ACL is a property of a whole Redis server, so this one has its own. The embedded pod has none. */
describe.runIf(inject('backend') === 'cluster')('RedisPeerRequests: an ACL that forbids Pub/Sub', () => {
  let server: RedisProcess;
  let operator: Redis;
  let redis: Redis;
  let pod: RedisPeerRequests;
  const warnings: { readonly message: string; readonly fields: object }[] = [];
  const { podQuestions: questions, peerAnswers: answers } = redisKeys(`t-${randomBytes(8).toString('hex')}`);
  const channels = { questions, answers };
  const setChannels = (rule: 'allchannels' | 'resetchannels') => operator.call('ACL', 'SETUSER', 'pod', rule);
  const countConnections = async () =>
    Number(/total_connections_received:(\d+)/.exec(await operator.info('stats'))?.[1] ?? Number.NaN);

  beforeAll(async () => {
    server = await startRedis();
    operator = new Redis(server.url);
    await operator.call('ACL', 'SETUSER', 'pod', 'on', '>pass', '~*', '+@all', 'allchannels');
    const url = new URL(server.url);
    Object.assign(url, { username: 'pod', password: 'pass' });
    const target = { url: url.href, setting: 'REDIS_URL', onWarning: () => undefined } as const;
    redis = openFailFastConnection(target, 'test');
    const connectSubscriber = () => openSubscriberConnection(target, 'test');
    const onWarning = (message: string, fields: object = {}) => void warnings.push({ message, fields });
    pod = new RedisPeerRequests({ redis, channels, connectSubscriber, onWarning });
    pod.serve((question) => `answer to ${question}`);
    await eventually(async () => (await ask())?.answers.length === 1, 'the pod answers itself');
  });
  afterAll(async () => {
    pod?.close();
    redis?.disconnect();
    operator?.disconnect();
    await server?.dispose();
  });
  const ask = () => pod.ask('first', 300).catch(() => null);

  test('warns after the reconnect, names the channel and the reason, and does not reconnect again and again', async () => {
    expect(warnings).toEqual([]);
    // Redis ends the connections that are subscribed to a channel that is now forbidden.
    await setChannels('resetchannels');
    await eventually(async () => warnings.length > 0, 'a warning');
    expect(warnings[0]).toEqual({
      message:
        'Redis refuses the channels by which processes ask each other: open streams and the overview are unknown',
      fields: { channels: channels.questions, reason: expect.stringContaining('NOPERM') },
    });
    const connectionCount = await countConnections();
    await expect(pod.ask('second', 300)).rejects.toThrow(UnavailableError);
    await expect(pod.ask('third', 300)).rejects.toThrow(UnavailableError);
    expect(await countConnections()).toBe(connectionCount);
    expect(warnings).toHaveLength(1);
  });

  test('answers again once the ACL allows the channels, without a restart', async () => {
    await setChannels('allchannels');
    await eventually(async () => (await ask())?.answers.length === 1, 'the pod answers itself', 40_000);
  });
});
