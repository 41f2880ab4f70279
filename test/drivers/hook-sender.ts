import { Agent, request } from 'node:http';

export interface SentHook {
  readonly body: HookBody;
  /** 0 when no answer came. */
  readonly status: number;
  /** `Webhook-Event-Id` of a 202. */
  readonly eventId: string | null;
}

export interface HookBody {
  readonly kind: 'created' | 'updated' | 'retired';
  readonly occurredAt: string;
  readonly widgetId?: string;
  readonly payload?: Record<string, unknown>;
}

/** Posts hooks over a bounded number of connections and tells what became of each: ok, refused or unknown. */
export function createHookSender(connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });

  function send(url: string, body: HookBody, headers: Record<string, string> = {}): Promise<SentHook> {
    return new Promise((resolve) => {
      const text = JSON.stringify(body);
      const post = request(
        url,
        {
          method: 'POST',
          agent,
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers },
        },
        (response) => {
          response.resume();
          const eventId = response.headers['webhook-event-id'];
          const finish = () =>
            resolve({ body, status: response.statusCode ?? 0, eventId: eventId?.toString() ?? null });
          response.once('end', finish);
          response.once('error', () => resolve({ body, status: 0, eventId: null }));
        },
      );
      post.once('error', () => resolve({ body, status: 0, eventId: null }));
      post.end(text);
    });
  }

  return {
    send,
    /** Sends all, keeping every connection busy; `urlOf` picks the address of each. */
    sendAll: async (bodies: readonly HookBody[], urlOf: (index: number) => string): Promise<SentHook[]> => {
      const results: SentHook[] = new Array(bodies.length);
      let next = 0;
      const lane = async () => {
        for (let index = next++; index < bodies.length; index = next++) {
          results[index] = await send(urlOf(index), bodies[index] as HookBody);
        }
      };
      await Promise.all(Array.from({ length: connections }, lane));
      return results;
    },
    close: () => agent.destroy(),
  };
}
