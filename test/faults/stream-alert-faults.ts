import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { AlertFault } from '../drivers/cluster/alert-watch.ts';
import { withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream, type StreamClient } from '../drivers/streams/stream-client.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import type { Balancer } from './balancer.ts';
import type { ServiceSlot } from './service-slot.ts';
import type { TcpProxy } from './tcp-proxy.ts';

interface StreamFaultDeps {
  readonly pod: ServiceSlot;
  readonly secondPod: ServiceSlot;
  /** The link of the second pod to MongoDB. */
  readonly secondPodMongoLink: TcpProxy;
  readonly balancer: Balancer;
  readonly redis: Redis;
  /** The key of the control log. */
  readonly controlKey: string;
  readonly streamUrl: string;
}

/** A pod that runs for a tenth of the time has an event loop with long delays. */
const frozenMs = 700;
const thawedMs = 80;
const openEveryMs = 200;

/** Creates the faults of streams and pods. */
export function createStreamFaults(deps: StreamFaultDeps): AlertFault[] {
  return [holdBackEvents(deps), fillPod(deps), delayEventLoop(deps)];
}

/**
 * The pod holds events back only while it has a stream that may be revoked. It gets no requests meanwhile: without
 * MongoDB it would refuse hooks.
 */
function holdBackEvents(deps: StreamFaultDeps): AlertFault {
  const { secondPod, balancer, streamUrl, redis, controlKey, secondPodMongoLink } = deps;
  let stream: StreamClient | undefined;
  return {
    fault: 'a pod can read neither the control log nor MongoDB',
    alerts: [
      ['WidgetEventsHeldBack', 'ticket'],
      ['WidgetTailBehind', 'ticket'],
      ['WidgetRevocationsRefused', 'page'],
    ],
    cause: async () => {
      await balancer.disablePod(secondPod.name);
      const isReady = async () => (await fetch(`${secondPod.process.opsUrl}/readyz`)).ok;
      await eventually(isReady, 'the second pod is ready');
      stream = await openStream(withOrigin(secondPod.process, streamUrl));
      await stream.until(() => stream?.events[0]?.event === 'stream.open', 'stream.open');
      await redis.set(controlKey, 'a text and no stream');
      secondPodMongoLink.cut();
    },
    mend: async () => {
      await secondPodMongoLink.mend();
      await redis.del(controlKey);
      stream?.close();
      await balancer.enablePod(secondPod.name);
    },
  };
}

/** Opens a stream every 200 ms, also after the pod is full: the pod then ends each new one with `overloaded`. */
function fillPod({ pod, streamUrl }: StreamFaultDeps): AlertFault {
  const streams: StreamClient[] = [];
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const open = async (lastEventId?: string) => {
    const options = lastEventId === undefined ? {} : { lastEventId };
    streams.push(await openStream(withOrigin(pod.process, streamUrl), options));
  };
  return {
    fault: 'a pod is full of streams; one client comes back from an epoch that is gone',
    alerts: [
      ['WidgetSubscribersMissEvents', 'ticket', { reason: 'epoch-changed' }],
      ['WidgetStreamsNearLimit', 'page'],
      ['WidgetStreamsNearLimit', 'ticket'],
    ],
    cause: async () => {
      await open('gone.1764000000000.5');
      running = (async () => {
        while (!stopping.signal.aborted) {
          await open();
          await delay(openEveryMs);
        }
      })();
    },
    mend: async () => {
      stopping.abort();
      await running;
      for (const stream of streams) stream.close();
    },
  };
}

function delayEventLoop({ secondPod }: StreamFaultDeps): AlertFault {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  return {
    fault: 'a pod gets a tenth of the processor time',
    alerts: [['WidgetEventLoopDelayed', 'ticket', { component: 'api' }]],
    cause: async () => {
      running = (async () => {
        while (!stopping.signal.aborted) {
          secondPod.freeze();
          await delay(frozenMs);
          secondPod.thaw();
          await delay(thawedMs);
        }
      })();
    },
    mend: async () => {
      stopping.abort();
      await running;
    },
  };
}
