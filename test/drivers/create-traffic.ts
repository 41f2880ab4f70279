import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { MachineWatch } from '../faults/machine-watch.ts';
import type { OwnDelay } from '../faults/own-delay.ts';
import { post } from './post.ts';
import type { CreateOperation, Recording } from './recording.ts';
import { startStopwatch } from './stopwatch.ts';

export interface CreateTrafficOptions {
  /** Of the service, without a path. */
  readonly baseUrl: string;
  readonly provisionToken: string;
  readonly recording: Recording;
  readonly ownDelay: OwnDelay;
  readonly machine: MachineWatch;
  /** Told the id of every widget that was answered with. */
  readonly onCreated: (widgetId: string) => void;
}

const repeatAfterMs = 500;
/** Widgets have one of so many labels, for filters to tell them apart. */
const labelCount = 5;

/**
 * Creates widgets as scripts do: most under an idempotency key, some twice at once, some again later, a few under a key
 * that was used for another body; what had no answer is repeated by every other script.
 */
export function createCreateTraffic(options: CreateTrafficOptions) {
  const { recording, ownDelay, machine } = options;
  const agent = new Agent({ keepAlive: true });
  const url = `${options.baseUrl}/api/v1/widgets`;
  const known = new Set<string>();

  async function createOnce(key: string | null, body: string): Promise<CreateOperation> {
    const startedAtMs = performance.now();
    const elapsedMs = startStopwatch();
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${options.provisionToken}`,
      ...(key === null ? {} : { 'idempotency-key': key }),
    };
    const { outcome, status, refusal, failure, text } = await post({ url, agent, headers, body });
    const endedAtMs = performance.now();
    const operation: CreateOperation = {
      ...{ key, outcome, status, refusal, failure, startedAtMs, endedAtMs, sent: body },
      answer: outcome === 'ok' ? text : null,
      latencyMs: elapsedMs() - ownDelay.since(startedAtMs),
      wasStarved: machine.wasStarved(startedAtMs, endedAtMs),
    };
    recording.creates.push(operation);
    return operation;
  }

  function note({ answer }: CreateOperation): void {
    if (answer === null) return;
    const { id } = JSON.parse(answer) as { id: string };
    if (!known.has(id)) options.onCreated(id);
    known.add(id);
  }

  return {
    create: async (index: number): Promise<void> => {
      const key = index % 10 === 4 ? null : `create-${index}-${randomUUID()}`;
      const body = JSON.stringify({ name: `widget ${index}`, labels: [`line-${index % labelCount}`] });
      const isSentTwice = key !== null && index % 10 === 7;
      const [first] = await Promise.all([createOnce(key, body), ...(isSentTwice ? [createOnce(key, body)] : [])]);
      note(first);
      const isRepeatedLater = index % 20 === 9 || (first.outcome !== 'ok' && index % 2 === 0);
      if (key === null) return;
      if (isRepeatedLater) {
        await delay(repeatAfterMs);
        note(await createOnce(key, body));
      }
      if (index % 30 === 8) await createOnce(key, JSON.stringify({ name: 'another body under the same key' }));
    },
    close: () => agent.destroy(),
  };
}
