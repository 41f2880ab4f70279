/**
 * A load generator: creates widgets over keep-alive connections, one at a time on each, as fast as they are answered.
 */
import autocannon from 'autocannon';
import { serveCommands } from '../drivers/child.ts';

interface PostWidgetsOptions {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** The session of the user who creates them. */
  readonly cookie: string;
  readonly csrfToken: string;
}

export interface PostWidgetsResult {
  readonly created: number;
  readonly notCreated: number;
  readonly seconds: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number };
}

export type PostWidgetsCommands = {
  create: [PostWidgetsOptions, PostWidgetsResult];
};

const body = JSON.stringify({ name: 'Pump 7', labels: ['north', 'indoor'] });

serveCommands<PostWidgetsCommands>({
  create: async ({ url, connections, seconds, cookie, csrfToken }) => {
    const headers = { 'content-type': 'application/json', cookie, 'x-csrf-token': csrfToken };
    const result = await autocannon({ url, connections, duration: seconds, method: 'POST', headers, body });
    return {
      created: result['2xx'],
      notCreated: result.non2xx + result.errors,
      seconds: result.duration,
      latencyMs: { p50: result.latency.p50, p99: result.latency.p99 },
    };
  },
});
