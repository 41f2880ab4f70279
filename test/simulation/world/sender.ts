import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/clock.ts';
import { calendarStartMs } from '../engine/simulated-process.ts';
import type { ClientView } from './client-view.ts';
import type { Operation } from './plan.ts';

type Hook = Extract<Operation, { kind: 'hook' }>;
type Create = Extract<Operation, { kind: 'create' }>;

const retryMs = 700;
export const poisonText = 'poison';

/** Sends the plan's creates and hooks. Repeats them after a refusal or without an answer, and records the answers. */
export class Sender {
  readonly integrationId: Delivery['integrationId'];
  readonly #world: ClientView;
  readonly #unknownWidgetId: string;
  /** By the number of the create. */
  readonly #widgetIds = new Map<number, string>();
  #pending = 0;

  constructor(world: ClientView) {
    this.#world = world;
    this.integrationId = world.createUuid();
    this.#unknownWidgetId = world.createUuid();
  }

  get isIdle(): boolean {
    return this.#pending === 0;
  }

  async create(operation: Create): Promise<void> {
    const { number, hasKey, name } = operation;
    const idempotencyKey = hasKey ? `create-${number}` : null;
    const newWidget = { name, state: 'active', labels: [], owner: null } as const;
    await this.#send(operation.tries, async (podName) => {
      const outcome = await this.#world.request(podName, (pod) =>
        pod.createWidget({ newWidget, principalId: 'somebody', idempotencyKey }),
      );
      if (outcome.status !== 'ok') return false;
      if (outcome.value.status === 'conflict') return true;
      const { widgetId, body } = outcome.value;
      this.#widgetIds.set(number, widgetId);
      this.#world.history.created.push({ key: idempotencyKey, widgetId, body });
      return true;
    });
  }

  async hook(operation: Hook): Promise<void> {
    const { widget, hookKind, key, isPoison, senderAheadMs } = operation;
    const known = typeof widget === 'number' ? this.#widgetIds.get(widget) : this.#unknownWidgetId;
    // A sender knows a widget only after its create was answered.
    if (known === undefined) return;
    const widgetId = widget === null ? null : known;
    const occurredAtMs = Math.floor(calendarStartMs + operation.atMs + senderAheadMs);
    const event = {
      kind: hookKind,
      occurredAt: new Date(occurredAtMs).toISOString(),
      widgetId,
      payload: JSON.stringify(isPoison ? { is: poisonText } : { at: operation.atMs }),
    };
    const integration = { id: this.integrationId, deduplicateByContent: false };
    await this.#send(operation.tries, async (podName) => {
      const outcome = await this.#world.request(podName, (pod) =>
        pod.acceptHook({
          integration,
          body: event,
          sentKey: key === null ? null : { kind: 'webhook-id', value: key },
          withinMs: requestDeadlineMs,
        }),
      );
      if (outcome.status !== 'ok') return false;
      this.#world.history.accepted.push({ eventId: outcome.value, widgetId, hookKind, isPoison });
      return true;
    });
  }

  async #send(tries: number, once: (podName: string) => Promise<boolean>): Promise<void> {
    this.#pending += 1;
    for (let left = tries; left > 0; left -= 1) {
      if (await once(this.#world.pickPod())) break;
      await this.#world.clients.clock.sleep(retryMs);
    }
    this.#pending -= 1;
  }
}
