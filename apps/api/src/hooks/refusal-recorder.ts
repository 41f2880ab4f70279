import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import { type HookRefusal, type RefusalStore, refusalLimits } from '@widget-service/shared/ports/refusal-store.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { FastifyRequest } from 'fastify';
import { makeTakeLocally } from '../caller/limits/rate-limits.ts';
import { readClientNetwork, type TrustedProxies, toClientNetwork } from '../http/forwarding.ts';
import type { Problem } from '../http/problem.ts';
import { decodeHeaderText } from '../http/request-headers.ts';

const writeEveryMs = 1_000;
/** How many refusals may wait for one write. Above it, the oldest are dropped. */
const waitingMax = 1_000;
/** An integration's list has the newest 100. One network must not push out those of the others. */
const listedPerNetwork: RateLimit = { ratePerSecond: 1 / 60, burst: 20 };

export interface RefusalRecorderDeps {
  readonly refusals: Pick<RefusalStore, 'add'>;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/**
 * Stores refusals in the background, for the list of an integration's refusals. It samples: of the refusals of one
 * integration with one code it stores the first in each second, which then counts the others (`unlisted`).
 *
 * No request waits for it or fails with it. While the store is unavailable, at most 1 000 refusals wait, and the pod
 * tries again every second.
 */
export class RefusalRecorder {
  readonly #deps: RefusalRecorderDeps;
  /** The refusals of the current second, by integration and code. */
  readonly #sampled = new Map<string, HookRefusal>();
  /** How many could not be listed since the last one, by integration and code. */
  readonly #unlisted = new Map<string, number>();
  /** Refusals whose write failed, oldest first. */
  #unwritten: readonly HookRefusal[] = [];
  #dropped = 0;
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;

  constructor(deps: RefusalRecorderDeps) {
    this.#deps = deps;
  }

  /** Calls `describe` only for a refusal that it stores. One that may not be listed counts for the next one. */
  record(
    integrationId: string,
    code: string,
    describe: () => Omit<HookRefusal, 'unlisted'>,
    mayList: () => boolean = () => true,
  ): void {
    const key = `${integrationId} ${code}`;
    const sampled = this.#sampled.get(key);
    if (sampled !== undefined) this.#sampled.set(key, { ...sampled, unlisted: sampled.unlisted + 1 });
    else if (!mayList()) this.#countUnlisted(key);
    else if (this.#sampled.size < waitingMax)
      this.#sampled.set(key, { ...describe(), unlisted: this.#takeUnlisted(key) });
    else this.#dropped += 1;
    this.#schedule();
  }

  #countUnlisted(key: string): void {
    const count = this.#unlisted.get(key) ?? 0;
    if (count > 0 || this.#unlisted.size < waitingMax) this.#unlisted.set(key, count + 1);
  }

  #takeUnlisted(key: string): number {
    const count = this.#unlisted.get(key) ?? 0;
    this.#unlisted.delete(key);
    return count;
  }

  /** Writes what waits, once. Resolves within 2 s and never rejects. Refusals that are recorded after it are lost. */
  async close(): Promise<void> {
    await withDeadline(this.#writeLast(), requestDeadlineMs, 'write the last refusals').catch(() => undefined);
    clearTimeout(this.#timer);
  }

  async #writeLast(): Promise<void> {
    await this.#writing;
    clearTimeout(this.#timer);
    await this.#write();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isWriting) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write();
    }, writeEveryMs).unref();
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    const batch = [...this.#unwritten, ...this.#sampled.values()];
    this.#sampled.clear();
    this.#unwritten = [];
    if (batch.length === 0) return;
    this.#isWriting = true;
    try {
      await this.#deps.refusals.add(batch);
      this.#recordSuccess();
    } catch (err) {
      this.#unwritten = batch.slice(-waitingMax);
      this.#dropped += batch.length - this.#unwritten.length;
      if (!this.#hasFailed) this.#deps.logger.warn({ err, waiting: this.#unwritten.length }, 'refusals.not_stored');
      this.#hasFailed = true;
    }
    this.#isWriting = false;
    if (this.#unwritten.length + this.#sampled.size > 0) this.#schedule();
  }

  #recordSuccess(): void {
    if (this.#hasFailed || this.#dropped > 0) this.#deps.logger.info({ dropped: this.#dropped }, 'refusals.stored');
    this.#hasFailed = false;
    this.#dropped = 0;
  }
}

export interface RecordRefusalDeps {
  readonly recorder: Pick<RefusalRecorder, 'record'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly trustedProxies: TrustedProxies;
}

/**
 * Makes the function that records a refused hook, after its response. A hook with an unknown token belongs to no
 * integration: the function ignores it.
 */
export function makeRecordRefusal({ recorder, clock, trustedProxies }: RecordRefusalDeps) {
  const mayList = makeTakeLocally(listedPerNetwork);
  return (request: FastifyRequest, problem: Problem): void => {
    if (request.integration === null) return;
    const { id: integrationId } = request.integration;
    const refusedAt = clock.now();
    const describe = () => ({
      integrationId,
      ...describeProblem(request, problem),
      refusedAt,
      clientAddress: toClientNetwork(request, trustedProxies),
    });
    recorder.record(integrationId, problem.code, describe, () =>
      mayList(`${integrationId} ${readClientNetwork(request)}`, refusedAt.getTime()),
    );
  };
}

/** Returns who sent a hook, for its log line. Without `integrationId` if the token is unknown. */
export function describeSender(request: FastifyRequest, trustedProxies: TrustedProxies) {
  const clientAddress = toClientNetwork(request, trustedProxies);
  return request.integration === null ? { clientAddress } : { integrationId: request.integration.id, clientAddress };
}

function describeProblem(
  { id: requestId, headers }: FastifyRequest,
  { code, status, detail, errors = [] }: Problem,
): Pick<HookRefusal, 'requestId' | 'code' | 'status' | 'detail' | 'errors' | 'webhookId'> {
  const webhookId = cutWebhookId(decodeHeaderText(headers['webhook-id']?.toString() ?? '')) || null;
  return { requestId, code, status, detail, errors, webhookId };
}

/** Returns a `webhook-id` as refusals store it. */
export function cutWebhookId(id: string): string {
  // The cut may leave a half of a surrogate pair.
  return id.slice(0, refusalLimits.webhookIdLength).toWellFormed();
}
