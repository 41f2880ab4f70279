/**
 * A load generator: posts hooks over keep-alive connections, one at a time on each, as fast as they are answered. No
 * two hooks have the same content. autocannon sends prepared bytes fastest, so all hooks are prepared before the first
 * one is sent.
 */
import autocannon from 'autocannon';
import { serveCommands } from '../drivers/child.ts';
import { buildHook } from './build-hook.ts';

interface PostHooksOptions {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** The hooks update these widgets in turn. */
  readonly widgetIds: readonly string[];
  /** Limits all connections together. Default: no limit. */
  readonly hooksPerSecond?: number;
}

interface PostHooksResult {
  readonly accepted: number;
  readonly refused: number;
  /** Connection errors and time-outs. */
  readonly failed: number;
  readonly seconds: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number };
}

export type PostHooksCommands = {
  post: [PostHooksOptions, PostHooksResult];
};

const headers = { 'content-type': 'application/json' };
/** More than any server here answers. Hooks beyond that repeat the first ones. */
const hooksPerSecondMax = 50_000;
let nextNumber = 0;

serveCommands<PostHooksCommands>({
  post: async ({ url, connections, seconds, widgetIds, hooksPerSecond }) => {
    const hooksPerConnection = Math.ceil(((hooksPerSecond ?? hooksPerSecondMax) * seconds) / connections);
    const result = await autocannon({
      url,
      connections,
      duration: seconds,
      method: 'POST',
      headers,
      ...(hooksPerSecond === undefined ? {} : { overallRate: hooksPerSecond }),
      setupClient: (client) => {
        const bodies = Array.from({ length: hooksPerConnection }, () => buildHook(widgetIds, nextNumber++));
        client.setRequests(bodies.map((body) => ({ method: 'POST', headers, body })));
      },
    });
    return {
      accepted: result['2xx'],
      refused: result.non2xx,
      failed: result.errors,
      seconds: result.duration,
      latencyMs: { p50: result.latency.p50, p99: result.latency.p99 },
    };
  },
});
