import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { deriveEventId, toContentKey } from '@widget-service/shared/domain/hook-event-id.ts';
import { postMeasured, type Recorder } from './post.ts';
import type { HookOperation, TokenRevocation } from './recording.ts';

export interface HookTrafficOptions extends Recorder {
  readonly integration: HookTarget;
  /** The known widgets. The list grows while widgets are created. */
  readonly widgetIds: readonly string[];
}

/** An integration, and its revocation if it is revoked under load. */
export interface HookTarget {
  readonly id: string;
  readonly url: string;
  readonly revocation: TokenRevocation | null;
}

type PlannedHook = Pick<HookOperation, 'eventId' | 'kind' | 'occurredAt' | 'widgetId' | 'payload' | 'revocation'> & {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const repeatAfterMs = 500;
/**
 * Half of the hooks go to the newest widgets, whose creation may not be published yet. Half go to a few old widgets.
 */
const newestCount = 30;
const oldestCount = 20;
/** JavaScript cannot distinguish this number from the next hundred. */
const exactNumber = 2n ** 60n;

/**
 * Sends hooks of every kind, as outside systems do. Most name a known widget, some an unknown widget or none. Some are
 * sent twice with one key. Half of the hooks that were not accepted are repeated. Those without a widget have no key:
 * many of them differ in one digit only.
 */
export function createHookTraffic({ integration, widgetIds, ...recorder }: HookTrafficOptions) {
  const agent = new Agent({ keepAlive: true });
  const sendOnce = async (hook: PlannedHook): Promise<HookOperation> => {
    const { operation: measured, answer } = await postMeasured(recorder, { agent, ...hook });
    const { eventId, kind, occurredAt, widgetId, payload, revocation } = hook;
    const sent = { eventId, kind, occurredAt, widgetId, payload, revocation };
    const answeredEventId = answer.headers['webhook-event-id']?.toString() ?? null;
    const operation: HookOperation = { ...measured, ...sent, answeredEventId };
    recorder.recording.hooks.push(operation);
    return operation;
  };
  return {
    /** `target`: another integration than that of the traffic. */
    send: async (index: number, target = integration): Promise<void> => {
      const hook = planHook(index, target, widgetIds);
      const isSentTwice = index % 20 === 11;
      const [first] = await Promise.all([sendOnce(hook), ...(isSentTwice ? [sendOnce(hook)] : [])]);
      const isRepeatedLater = index % 25 === 13;
      const isRepeatedOnFailure = index % 2 === 0;
      if (!isRepeatedLater && (first.outcome === 'ok' || !isRepeatedOnFailure)) return;
      await delay(repeatAfterMs);
      await sendOnce(hook);
    },
    close: () => agent.destroy(),
  };
}

function planHook(
  index: number,
  { id: integrationId, url, revocation }: HookTarget,
  widgetIds: readonly string[],
): PlannedHook {
  const kind = index % 20 === 3 ? 'retired' : index % 7 === 1 ? 'created' : 'updated';
  // These times are not in sending order, and never in the future.
  const ageMs = (index * 7_919) % 5_000;
  const widgetId = selectWidgetId(index, widgetIds);
  const value = `hook-${index}-${randomUUID()}`;
  const type = { 'content-type': 'application/json' };
  const payload = `{"number":${exactNumber + BigInt(index)},"note":"measured at the line’s end"}`;
  const toBody = (occurredAt: string) =>
    `{"kind":"${kind}","occurredAt":"${occurredAt}","widgetId":${JSON.stringify(widgetId)},"payload":${payload}}`;
  if (widgetId === null) {
    const occurredAt = new Date(Math.floor(Date.now() / 5_000) * 5_000).toISOString();
    const key = toContentKey({ kind, occurredAt, widgetId, payload });
    if (key === null) throw new Error('unreachable');
    const eventId = deriveEventId(integrationId, key);
    return { kind, occurredAt, widgetId, payload, url, revocation, eventId, headers: type, body: toBody(occurredAt) };
  }
  const occurredAt = new Date(Date.now() - ageMs).toISOString();
  const key = index % 10 === 5 ? ('idempotency-key' as const) : ('webhook-id' as const);
  return {
    ...{ kind, occurredAt, widgetId, payload, url, revocation },
    eventId: deriveEventId(integrationId, { kind: key, value }),
    headers: { ...type, [key]: value },
    body: toBody(occurredAt),
  };
}

/** Selects a known widget, an unknown one, or none. */
function selectWidgetId(index: number, widgetIds: readonly string[]): string | null {
  if (index % 10 === 0) return null;
  if (index % 50 === 7) return randomUUID();
  const candidates = index % 2 === 0 ? widgetIds.slice(-newestCount) : widgetIds.slice(0, oldestCount);
  return candidates[Math.floor(index / 2) % candidates.length] ?? null;
}
