import { createEventId, type DeduplicationKey, deriveEventId, toContentKey } from '../../domain/event-id.ts';
import type { HookEvent } from '../../domain/hook-event.ts';
import type { Integration } from '../../ports/grant-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { GroupCommit } from './group-commit.ts';

export interface HookSubmission {
  readonly integration: Pick<Integration, 'id' | 'deduplicateByContent'>;
  readonly event: HookEvent;
  /** The `webhook-id` header of Standard Webhooks, if sent. */
  readonly webhookId: string | null;
  readonly idempotencyKey: string | null;
}

export interface AcceptedHook {
  /** The same for every repetition of the hook. */
  readonly eventId: string;
  readonly receivedAt: Date;
}

export interface AcceptHookDeps {
  readonly groupCommit: Pick<GroupCommit, 'submit'>;
  readonly clock: Pick<Clock, 'now'>;
  /** An identity for a hook that is never a repetition. */
  readonly createId?: () => string;
}

/**
 * Accepts a hook: its promise resolves once the hook is durably queued, and rejects with `UnavailableError` when that
 * is not certain. Whether it is a repetition is decided by the worker.
 */
export function makeAcceptHook(deps: AcceptHookDeps) {
  return async (submission: HookSubmission): Promise<AcceptedHook> => {
    const { integration, event } = submission;
    const key = deduplicationKeyOf(submission);
    const eventId = key === null ? (deps.createId ?? createEventId)() : deriveEventId(integration.id, key);
    const receivedAt = deps.clock.now();
    const delivery = { ...event, eventId, integrationId: integration.id, receivedAt, redrive: false };
    await deps.groupCommit.submit({ type: 'delivery', delivery });
    return { eventId, receivedAt };
  };
}

function deduplicationKeyOf({
  integration,
  event,
  webhookId,
  idempotencyKey,
}: HookSubmission): DeduplicationKey | null {
  if (webhookId !== null) return { kind: 'webhook-id', value: webhookId };
  if (idempotencyKey !== null) return { kind: 'idempotency-key', value: idempotencyKey };
  return integration.deduplicateByContent ? toContentKey(event) : null;
}
