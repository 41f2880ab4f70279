import { readFileSync } from 'node:fs';
import { connectionLimits } from '@widget-service/api/http/create-server.ts';
import { consumerCloseWithinMs } from '@widget-service/cluster/bullmq/bullmq-hook-consumer.ts';
import { ackTimeoutMs } from '@widget-service/cluster/bullmq/bullmq-hook-queue.ts';
import { defaultWorkerTiming } from '@widget-service/cluster/bullmq/queue-options.ts';
import { runDeadlinesMs, toRunCallLimits } from '@widget-service/cluster/mongo/run-calls.ts';
import { closeWithinMs } from '@widget-service/cluster/mongo/stuck-client.ts';
import { pinned } from '@widget-service/cluster/mongo/url-options.ts';
import { backendCloseWithinMs } from '@widget-service/cluster/open-cluster.ts';
import { failFastOptions, workerOptions } from '@widget-service/cluster/redis/connections.ts';
import { runLimits } from '@widget-service/shared/ports/run-registry.ts';
import { fullCountDeadlineMs, requestDeadlineMs } from '@widget-service/shared/runtime/clock.ts';
import { unreachableAfterMs } from '@widget-service/shared/tasks/store-connectivity.ts';
import { expect, test } from 'vitest';

const promisedMs = 2_000;
const wtimeoutsMs = runDeadlinesMs.map((deadlineMs) => toRunCallLimits(deadlineMs).writeConcern.wtimeoutMS ?? 0);
const lastOf = (values: readonly number[]): number => values.at(-1) ?? 0;
const callsOfRun = 8;

/** Reads a time-out in seconds from a file of the project. */
function read(path: string, pattern: RegExp): number {
  const found = pattern.exec(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
  if (found === null) throw new Error(`${path} has no ${pattern}`);
  return Number(found[1]) * 1_000;
}

const nginx = (name: string) => read('deploy/proxies/nginx.conf', new RegExp(`^ {4}${name} (\\d+)s`, 'm'));
const haproxy = (name: string) => read('deploy/proxies/haproxy.cfg', new RegExp(`timeout ${name} (\\d+)s`));
const envoy = (name: string) => read('deploy/proxies/envoy.yaml', new RegExp(`${name}: (\\d+)s`));
const gracePeriod = (name: string) => read(`deploy/k8s/base/${name}.yaml`, /terminationGracePeriodSeconds: (\d+)/);
const { requestTimeout, keepAliveTimeout, connectionTimeout, http } = connectionLimits;
const requestMs = requestTimeout + http.connectionsCheckingInterval;
const { drainDelaySeconds, stalledIntervalMs, lockDurationMs } = defaultWorkerTiming;

/** The first number must be less than the second. */
test.each<[string, number, number]>([
  ['the deadline of a request, the promise to clients', requestDeadlineMs, promisedMs],
  ['MongoDB: selection of a server, deadline of a request', pinned.serverSelectionTimeoutMS, requestDeadlineMs],
  ['MongoDB: wait for a connection, deadline of a request', pinned.waitQueueTimeoutMS, requestDeadlineMs],
  ['MongoDB: deadline of a request, its wait for a majority', requestDeadlineMs, pinned.wtimeoutMS],
  ['MongoDB: wait of a request for a majority, 0.5 s after its deadline', pinned.wtimeoutMS, requestDeadlineMs + 500],
  ['MongoDB: wait of a request for a majority, silence of a connection', pinned.wtimeoutMS, pinned.socketTimeoutMS],
  ['MongoDB: longest wait of a run for a majority, silence', lastOf(wtimeoutsMs), pinned.socketTimeoutMS],
  ['MongoDB: longest deadline of a run, silence of a connection', lastOf(runDeadlinesMs), pinned.socketTimeoutMS],
  ['MongoDB: full count, silence of a connection', fullCountDeadlineMs, pinned.socketTimeoutMS],
  ['MongoDB: connecting, silence of a connection', pinned.connectTimeoutMS, pinned.socketTimeoutMS],
  ['MongoDB: silence of a connection, end of a client', pinned.socketTimeoutMS, closeWithinMs],
  ['MongoDB tolerates 10 s of lag, longest wait of a run', 10_000, lastOf(wtimeoutsMs)],
  // A worker that releases its jobs begins again with the shortest wait.
  ['all but the longest wait of a run, unreachable stores', wtimeoutsMs[0]! + wtimeoutsMs[1]!, unreachableAfterMs],
  ['all calls of a run at its longest, its age', callsOfRun * lastOf(runDeadlinesMs), runLimits.maxAgeMs],
  ['Redis: a command, deadline of a request', failFastOptions.commandTimeout, requestDeadlineMs],
  ['Redis: confirmation by replicas, a command', ackTimeoutMs, failFastOptions.commandTimeout],
  ['Redis: a command, silence of a connection', failFastOptions.commandTimeout, failFastOptions.socketTimeout],
  ['BullMQ: wait for a job, silence', drainDelaySeconds * 1_000, workerOptions.socketTimeout],
  ['BullMQ: stalled interval, lock of a job', stalledIntervalMs, lockDurationMs],
  ['BullMQ: end of the consumer, end of the backend', consumerCloseWithinMs, backendCloseWithinMs],
  ['end of the backend, end of a worker', backendCloseWithinMs, gracePeriod('worker')],
  ['end of the backend, end of a pod', backendCloseWithinMs, gracePeriod('api')],
  ['a response, silence of its connection', promisedMs, connectionTimeout],
  ['headers, a request', http.headersTimeout, requestTimeout],
  ['how often time-outs are checked, headers', http.connectionsCheckingInterval, http.headersTimeout],
  ['a request with its response, nginx', requestMs, nginx('proxy_read_timeout')],
  ['a request with its response, haproxy', requestMs, haproxy('server')],
  ['a request with its response, Envoy', requestMs, envoy('cluster: pods, timeout')],
  ['idle connection of nginx, of the service', nginx('keepalive_timeout'), keepAliveTimeout],
  ['idle connection of haproxy, of the service', haproxy('http-keep-alive'), keepAliveTimeout],
  ['idle connection of Envoy, of the service', envoy('idle_timeout'), keepAliveTimeout],
  ['headers at nginx, a request', nginx('client_header_timeout'), requestTimeout],
])('%s: %i ms is less than %i ms', (_, lessMs, moreMs) => {
  expect(lessMs).toBeLessThan(moreMs);
});

const proxies = ['nginx.conf', 'haproxy.cfg', 'envoy.yaml', 'traefik-routes.yaml', 'traefik-no-pod.conf'];
const streamRules = [...proxies.map((file) => `proxies/${file}`), 'k8s/components/gateway/http-route.yaml'];
test.each(streamRules)('deploy/%s has the stream of a session among the streams, which have no time-out', (file) => {
  const lines = readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8').split('\n');
  const rules = lines.filter((line) => line.includes('session/stream'));
  expect(rules.length).toBe(file.endsWith('envoy.yaml') ? 2 : 1);
});
