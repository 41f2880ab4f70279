import { Agent } from 'node:http';
import { post } from './post.ts';

export interface SentHook {
  readonly body: HookBody;
  /** 0 without an answer. */
  readonly status: number;
  /** The `Webhook-Event-Id` header of a 202. */
  readonly eventId: string | null;
}

export interface HookBody {
  readonly kind: 'created' | 'updated' | 'retired';
  readonly occurredAt: string;
  readonly widgetId?: string;
  readonly payload?: Record<string, unknown>;
}

/** Longer than any fault of a scenario lasts. */
const patienceMs = 600_000;

/** Posts hooks over a bounded number of connections. Never rejects: a hook without an answer has the status 0. */
export function createHookSender(connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });

  const send = async (url: string, body: HookBody, headers: Record<string, string> = {}): Promise<SentHook> => {
    const type = { 'content-type': 'application/json' };
    const sent = { url, agent, headers: { ...type, ...headers }, body: JSON.stringify(body), timeoutMs: patienceMs };
    const answer = await post(sent);
    return { body, status: answer.status, eventId: answer.headers['webhook-event-id']?.toString() ?? null };
  };

  return {
    send,
    /** Sends all bodies over all connections at once. `selectUrl` returns the address for the body at an index. */
    sendAll: async (bodies: readonly HookBody[], selectUrl: (index: number) => string): Promise<SentHook[]> => {
      const results: SentHook[] = new Array(bodies.length);
      let next = 0;
      const sendUntilDone = async () => {
        for (let index = next++; index < bodies.length; index = next++) {
          results[index] = await send(selectUrl(index), bodies[index] as HookBody);
        }
      };
      await Promise.all(Array.from({ length: connections }, sendUntilDone));
      return results;
    },
    close: () => agent.destroy(),
  };
}

/** Builds `count` distinct hooks, which go to the widgets in rotation. Their payloads differ. */
export function buildHooks(widgetIds: readonly string[], count: number): HookBody[] {
  const occurredAt = new Date().toISOString();
  return Array.from({ length: count }, (_, index) => ({
    kind: 'updated',
    occurredAt,
    widgetId: widgetIds[index % widgetIds.length] ?? '',
    payload: { number: index, note: 'measured at the end of the line' },
  }));
}
