/**
 * A load generator: posts hooks over keep-alive connections, one at a time on each, as fast as they are answered. No
 * two hooks have the same content. It is wrk if that is installed. Otherwise, and at a fixed rate, it is autocannon,
 * which sends prepared bytes fastest: all hooks are prepared before the first one is sent.
 */
import autocannon from 'autocannon';
import { serveCommands } from '../drivers/child.ts';
import { buildHook } from './build-hook.ts';
import { hasWrk, type PostHooksOptions, type PostHooksResult, postByWrk } from './post-by-wrk.ts';

export type PostHooksCommands = {
  post: [PostHooksOptions, PostHooksResult];
};

const headers = { 'content-type': 'application/json' };
/** More than any server here answers. Hooks beyond that repeat the first ones. */
const hooksPerSecondMax = 50_000;
let nextNumber = 0;
const usesWrk = hasWrk();

serveCommands<PostHooksCommands>({
  post: async ({ url, connections, seconds, widgetIds, hooksPerSecond }) => {
    if (usesWrk && hooksPerSecond === undefined) {
      const result = await postByWrk({ url, connections, seconds, widgetIds }, nextNumber);
      nextNumber += result.accepted + result.refused + result.failed + connections;
      return result;
    }
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
      generator: 'autocannon',
      accepted: result['2xx'],
      refused: result.non2xx,
      failed: result.errors,
      seconds: result.duration,
      latencyMs: { p50: result.latency.p50, p99: result.latency.p99 },
    };
  },
});
