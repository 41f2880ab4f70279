import type { HookBody } from '../../domain/delivery.ts';
import { createEventId, type DeduplicationKey, deriveEventId, toContentKey } from '../../domain/hook-event-id.ts';
import type { QueueItem } from '../../domain/queue-item.ts';
import type { TraceContext } from '../../domain/trace-context.ts';
import type { Integration } from '../../entities/grant.ts';
import type { GroupCommit } from './group-commit.ts';

export interface HookSubmission {
  readonly integration: Pick<Integration, 'id' | 'deduplicateByContent'>;
  readonly body: HookBody;
  /** What the sender says identifies repetitions: a header, or what the mapping of a source finds. Null: nothing. */
  readonly sentKey: DeduplicationKey | null;
  /** How long to wait until the queue has stored the hook, in milliseconds. */
  readonly withinMs: number;
  /** The span of the request. Null unless its trace is sampled. */
  readonly traceContext?: TraceContext | null;
}

/**
 * Accepts a hook. Resolves with its event id once `GroupCommit` has it durably in the queue: then intake.ts answers
 * 202. Rejects with `UnavailableError` if the admission limit is exceeded: the hook is then not queued. Rejects with
 * the same error if the queue does not answer in time: the hook may be queued even then. The api does not detect
 * duplicates: the worker does, by the event id. `createId` creates the event id of a hook without a deduplication key.
 */
export async function acceptHook(
  groupCommit: Pick<GroupCommit, 'submit'>,
  submission: HookSubmission,
  receivedAt: Date,
  createId = createEventId,
): Promise<string> {
  const { integration, body, withinMs, traceContext = null } = submission;
  const eventId = deriveHookEventId(submission, createId);
  const delivery = { ...body, eventId, integrationId: integration.id, receivedAt, redrive: false };
  const item: QueueItem =
    traceContext === null ? { type: 'delivery', delivery } : { type: 'delivery', delivery, traceContext };
  await groupCommit.submit(item, withinMs);
  return eventId;
}

/**
 * Returns the id of the hook's event. With a deduplication key it is a hash of the key. Without one, `createId` makes a
 * new id, so every request becomes a new event.
 */
export function deriveHookEventId(
  { integration, body, sentKey }: Pick<HookSubmission, 'integration' | 'body' | 'sentKey'>,
  createId = createEventId,
): string {
  const key = sentKey ?? (integration.deduplicateByContent ? toContentKey(body) : null);
  return key === null ? createId() : deriveEventId(integration.id, key);
}
