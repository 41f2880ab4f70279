import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { deriveEventId } from '@widget-service/shared/domain/event-id.ts';
import type { MachineWatch } from '../faults/machine-watch.ts';
import type { OwnDelay } from '../faults/own-delay.ts';
import { post } from './post.ts';
import type { HookOperation, Recording } from './recording.ts';
import { startStopwatch } from './stopwatch.ts';

export interface HookTrafficOptions {
  readonly integration: { readonly id: string; readonly url: string };
  readonly recording: Recording;
  readonly ownDelay: OwnDelay;
  readonly machine: MachineWatch;
  /** Widgets that are there; it grows while widgets are created. */
  readonly widgetIds: readonly string[];
}

type Plan = Pick<HookOperation, 'eventId' | 'kind' | 'occurredAt' | 'widgetId'> & {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const repeatAfterMs = 500;
/** Hooks go to the newest widgets, whose creation may not be told yet, and to the oldest, which many hooks meet. */
const newestCount = 30;
const oldestCount = 20;

/**
 * Sends hooks as outside systems do: most about a widget, some about none or one that is not known, of every kind, some
 * twice under one key, and what was not accepted is repeated by every other sender.
 */
export function createHookTraffic({ integration, recording, ownDelay, machine, widgetIds }: HookTrafficOptions) {
  const agent = new Agent({ keepAlive: true });

  async function sendOnce(plan: Plan): Promise<HookOperation> {
    const startedAtMs = performance.now();
    const elapsedMs = startStopwatch();
    const answer = await post({ url: integration.url, agent, ...plan });
    const endedAtMs = performance.now();
    const { eventId, kind, occurredAt, widgetId } = plan;
    const { outcome, status, refusal, failure } = answer;
    const operation: HookOperation = {
      ...{ eventId, kind, occurredAt, widgetId, outcome, status, refusal, failure, startedAtMs, endedAtMs },
      answeredEventId: answer.headers['webhook-event-id']?.toString() ?? null,
      latencyMs: elapsedMs() - ownDelay.since(startedAtMs),
      wasStarved: machine.wasStarved(startedAtMs, endedAtMs),
    };
    recording.hooks.push(operation);
    return operation;
  }

  return {
    send: async (index: number): Promise<void> => {
      const plan = planOf(index, integration.id, widgetIds);
      const isSentTwice = index % 20 === 11;
      const [first] = await Promise.all([sendOnce(plan), ...(isSentTwice ? [sendOnce(plan)] : [])]);
      const isRepeatedLater = index % 25 === 13;
      const isPatient = index % 2 === 0;
      if (!isRepeatedLater && (first.outcome === 'ok' || !isPatient)) return;
      await delay(repeatAfterMs);
      await sendOnce(plan);
    },
    close: () => agent.destroy(),
  };
}

function planOf(index: number, integrationId: string, widgetIds: readonly string[]): Plan {
  const kind = index % 20 === 3 ? 'retired' : index % 7 === 1 ? 'created' : 'updated';
  // Not in the order in which they are sent, and never ahead of the clock.
  const occurredAt = new Date(Date.now() - ((index * 7_919) % 5_000)).toISOString();
  const widgetId = widgetOf(index, widgetIds);
  const value = `hook-${index}-${randomUUID()}`;
  const key = index % 10 === 5 ? ('idempotency-key' as const) : ('webhook-id' as const);
  const about = widgetId === null ? {} : { widgetId };
  return {
    ...{ kind, occurredAt, widgetId },
    eventId: deriveEventId(integrationId, { kind: key, value }),
    headers: { 'content-type': 'application/json', [key]: value },
    body: JSON.stringify({
      kind,
      occurredAt,
      ...about,
      payload: { number: index, note: 'measured at the line’s end' },
    }),
  };
}

function widgetOf(index: number, widgetIds: readonly string[]): string | null {
  if (index % 10 === 0) return null;
  if (index % 50 === 7) return randomUUID();
  const among = index % 2 === 0 ? widgetIds.slice(-newestCount) : widgetIds.slice(0, oldestCount);
  return among[Math.floor(index / 2) % among.length] ?? null;
}
