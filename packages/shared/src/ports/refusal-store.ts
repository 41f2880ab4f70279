import type { ListedRow } from '../domain/page.ts';

/** One mistake in a problem, as the sender got it. It never holds a value that was sent. */
interface RefusalMistake {
  readonly detail: string;
  readonly code: string;
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
}

/**
 * A refused hook of a known integration, with the problem that its sender got. It holds neither the token nor anything
 * of the body.
 */
export interface HookRefusal {
  readonly integrationId: string;
  /** The id of the request: it also identifies the refusal. */
  readonly requestId: string;
  readonly refusedAt: Date;
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  /** Empty if the problem named no single mistakes. */
  readonly errors: readonly RefusalMistake[];
  /** The address that rate limits count. Null if it cannot be known. */
  readonly clientAddress: string | null;
  /** The `webhook-id` that was sent, cut to `refusalLimits.webhookIdLength`. Null if there was none. */
  readonly webhookId: string | null;
  /** How many later refusals this one stands for: they had the same code, in the same second, on the same pod. */
  readonly unlisted: number;
}

export const refusalLimits = {
  /** How many refusals of an integration a store keeps. */
  perIntegration: 100,
  /** How long a store keeps a refusal. */
  keepMs: 7 * 86_400_000,
  webhookIdLength: 256,
} as const;

/**
 * The newest refusals of each integration, for its manager to find out why hooks are refused. A store keeps at most
 * `refusalLimits.perIntegration` of them, for at most `refusalLimits.keepMs`. They need not survive a crash. Methods
 * throw `UnavailableError`.
 */
export interface RefusalStore {
  /** Adds refusals of any integrations. To add one again has no effect. Drops those beyond the limits, oldest first. */
  add(refusals: readonly HookRefusal[]): Promise<void>;
  /** Newest first: by `refusedAt`, then by `requestId`, both descending. */
  list(integrationId: string): Promise<ListedRow<HookRefusal>[]>;
  /** Deletes the refusals of an integration that has ended. One that is added after it has no effect. */
  delete(integrationId: string): Promise<void>;
}
