import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

/** Posts hooks through a proxy, one after another, as a sender should: it repeats each one until it is answered 202. */
export interface ProxiedHooks {
  /** The event ids of the accepted hooks. */
  readonly acceptedIds: readonly string[];
  /** How often each status was received. 0 stands for no answer. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Posts no further hook until `resume`. Resolves when the current hook is accepted. */
  pause(): Promise<void>;
  resume(): void;
  /** Resolves when the current hook is accepted. */
  stop(): Promise<void>;
}

const pauseMs = 100;

/** Starts to post hooks to the URL. It trusts the certificate `ca` only. */
export function startProxiedHooks(url: string, ca: string): ProxiedHooks {
  const agent = new Agent({ keepAlive: true, ca });
  const acceptedIds: string[] = [];
  const statuses = new Map<number, number>();
  let isStopped = false;
  let isPaused = false;
  let current = Promise.resolve();

  async function postUntilAccepted(): Promise<void> {
    const webhookId = randomUUID();
    for (;;) {
      const { status, eventId } = await post(url, webhookId, agent);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 202) return void acceptedIds.push(eventId);
      await delay(pauseMs);
    }
  }

  const done = (async () => {
    while (!isStopped) {
      if (!isPaused) current = postUntilAccepted();
      await current;
      await delay(pauseMs);
    }
    agent.destroy();
  })();
  return {
    acceptedIds,
    statuses,
    pause: () => {
      isPaused = true;
      return current;
    },
    resume: () => {
      isPaused = false;
    },
    stop: () => {
      isStopped = true;
      return done;
    },
  };
}

function post(url: string, webhookId: string, agent: Agent): Promise<{ status: number; eventId: string }> {
  const body = JSON.stringify({ kind: 'updated', occurredAt: new Date().toISOString() });
  const headers = { 'content-type': 'application/json', 'webhook-id': webhookId };
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', agent, headers, timeout: 10_000 }, (response) => {
      response.resume();
      const eventId = response.headers['webhook-event-id']?.toString() ?? '';
      response.once('close', () => resolve({ status: response.statusCode ?? 0, eventId }));
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => resolve({ status: 0, eventId: '' }));
    sent.end(body);
  });
}
