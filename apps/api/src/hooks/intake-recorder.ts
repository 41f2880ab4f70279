import { isUtf8 } from 'node:buffer';
import { makeTakeLocally } from '@widget-service/shared/adapters/memory-rate-limiter.ts';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { Integration } from '@widget-service/shared/entities/grant.ts';
import {
  type HookRefusal,
  type HookSample,
  type RefusedRequest,
  refusalLimits,
  sampleLimits,
} from '@widget-service/shared/entities/refused-request.ts';
import type { Collection, Where } from '@widget-service/shared/ports/collection.ts';
import {
  type HookCountStore,
  type HookCounts,
  hookCountLimits,
  toHour,
} from '@widget-service/shared/ports/hook-count-store.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { FastifyRequest } from 'fastify';
import { readClientNetwork, toClientNetwork } from '../http/forwarding.ts';
import type { Problem } from '../http/problem.ts';
import { decodeHeaderText } from '../http/request-headers.ts';
import { findSourceRefusal, type ReadSource, withholdSecrets } from '../sources/read-source.ts';
import { BackgroundRecords } from './background-records.ts';

/** How many refusals of one client network are listed: one network must not push the others out of the list of 100. */
const listedPerNetwork: RateLimit = { ratePerSecond: 1 / 60, burst: 20 };
/** Samples of requests without a valid signature: strangers must not push out the sender's 10 samples. */
const strangerSamples: RateLimit = { ratePerSecond: 1 / 60, burst: 3 };
const noHooks = { accepted: 0, refused: 0 };
/** Counts in place, because it runs for every hook. */
const countOne = (open = { ...noHooks }) => {
  open.accepted += 1;
  return open;
};

type RefusedRequests<T> = Pick<Collection<T>, 'insert' | 'list' | 'removeAll'>;

export interface IntakeRecorderDeps {
  readonly integrations: Pick<Collection<Integration>, 'get' | 'count'>;
  readonly refusals: RefusedRequests<HookRefusal>;
  readonly samples: RefusedRequests<HookSample>;
  readonly hookCounts: Pick<HookCountStore, 'add'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly settings: Pick<Settings, 'TRUSTED_PROXIES'>;
}

/** A request of a foreign sender that was refused for what the sender did. */
export interface RefusedForeignRequest {
  readonly body: Uint8Array;
  readonly read: ReadSource;
}

/**
 * Records the hooks of each integration in the background: counts of all, some refusals, and refused requests of
 * foreign senders as they were sent, if somebody asked for them. Hooks with an unknown token belong to no integration.
 *
 * Of the refusals of one integration with one code it lists the first in each second, which then counts the others
 * (`unlisted`). While the store is unavailable, at most 1 000 refusals wait.
 */
export class IntakeRecorder {
  readonly #deps: IntakeRecorderDeps;
  readonly #counts: BackgroundRecords<typeof noHooks, HookCounts>;
  readonly #refusals: BackgroundRecords<HookRefusal, HookRefusal>;
  readonly #samples: BackgroundRecords<HookSample, HookSample>;
  readonly #mayList = makeTakeLocally(listedPerNetwork);
  readonly #mayKeep = makeTakeLocally(strangerSamples);
  /** How many refusals were not listed since the last listed one, by integration and code. */
  readonly #unlisted = new Map<string, number>();

  constructor(deps: IntakeRecorderDeps) {
    this.#deps = deps;
    const { logger, clock, hookCounts, integrations, samples } = deps;
    this.#counts = new BackgroundRecords({
      ...{ name: 'hook_counts', everyMs: 10_000, atMost: Number.POSITIVE_INFINITY, logger },
      toBatch: (open, unwritten) => mergeByHour(open, unwritten, clock.now()),
      store: (batch) => hookCounts.add(batch).then(() => []),
    });
    this.#refusals = new BackgroundRecords({
      ...{ name: 'refusals', everyMs: 1_000, atMost: 1_000, logger },
      toBatch: (open, unwritten) => [...unwritten, ...open.values()],
      store: makeStoreRefused(deps.refusals, refusalLimits.perIntegration, ({ integrationId }) =>
        integrations.count({ id: integrationId }, 1),
      ),
    });
    this.#samples = new BackgroundRecords({
      ...{ name: 'samples', everyMs: 1_000, atMost: 100, keepsFailed: false, logger },
      // Bodies do not wait in memory.
      toBatch: (open) => [...open.values()],
      store: makeStoreRefused(
        samples,
        sampleLimits.perIntegration,
        ({ integrationId }) => integrations.count({ id: integrationId, samplesKeptUntil: { above: clock.now() } }, 1),
        async (sample) => {
          // The integration of the request may be a cached one.
          const integration = await integrations.get(sample.integrationId);
          const expiresAt = endOfSample(sample.refusedAt, integration?.samplesKeptUntil ?? null);
          if (expiresAt > clock.now()) await samples.insert({ ...sample, expiresAt });
        },
      ),
    });
  }

  countAccepted(integrationId: string): void {
    this.#counts.record(integrationId, countOne);
  }

  /** Records a refused hook, after its response. */
  recordRefused(request: FastifyRequest, problem: Problem, foreign: RefusedForeignRequest | null): void {
    if (request.integration === null) return;
    const { id } = request.integration;
    this.#counts.record(id, (open = noHooks) => ({ ...open, refused: open.refused + 1 }));
    this.#recordRefusal(request, problem, id);
    if (foreign !== null) this.#recordSample(request, problem.code, foreign);
  }

  async close(): Promise<void> {
    await Promise.all([this.#counts.close(), this.#refusals.close(), this.#samples.close()]);
  }

  /** A refusal that may not be listed is counted in the next listed one (`unlisted`). */
  #recordRefusal(request: FastifyRequest, problem: Problem, integrationId: string): void {
    const refusedAt = this.#deps.clock.now();
    const { code } = problem;
    const key = `${integrationId} ${code}`;
    const unlisted = this.#unlisted.get(key) ?? 0;
    if (!this.#refusals.has(key) && !this.#mayList(toNetworkKey(request, integrationId), refusedAt.getTime())) {
      if (unlisted > 0 || this.#unlisted.size < 1_000) this.#unlisted.set(key, unlisted + 1);
      return;
    }
    this.#refusals.record(key, (open) => {
      if (open !== undefined) return { ...open, unlisted: open.unlisted + 1 };
      this.#unlisted.delete(key);
      const { status, detail, errors = [] } = problem;
      const webhookId = decodeHeaderText(request.headers['webhook-id']?.toString() ?? '');
      return {
        ...{ requestId: request.id, integrationId, refusedAt, code, status, detail, errors: [...errors], unlisted },
        expiresAt: new Date(refusedAt.getTime() + refusalLimits.keepMs),
        clientAddress: toClientNetwork(request, this.#deps.settings.TRUSTED_PROXIES),
        webhookId: cutWebhookId(webhookId) || null,
      };
    });
  }

  #recordSample(request: FastifyRequest, code: string, { body, read }: RefusedForeignRequest): void {
    const { integration, id: requestId, raw } = request;
    const refusedAt = this.#deps.clock.now();
    if (integration?.source == null || !((integration.samplesKeptUntil ?? 0) > refusedAt)) return;
    const { id: integrationId, source } = integration;
    // A preview takes a text.
    if (body.length > sampleLimits.bodyBytesMax || !isUtf8(body)) return;
    const refusal = findSourceRefusal(read);
    if (refusal === null) return;
    const network = toNetworkKey(request, integrationId);
    if (refusal.step === 'signature' && !this.#mayKeep(network, refusedAt.getTime())) return;
    this.#samples.record(
      `${integrationId} ${code}`,
      (open) =>
        open ?? {
          ...{ requestId, integrationId, refusedAt, code, refusal, body: Buffer.from(body).toString() },
          expiresAt: endOfSample(refusedAt, integration.samplesKeptUntil),
          ...withholdSecrets(raw.rawHeaders, source),
        },
    );
  }
}

function toNetworkKey(request: FastifyRequest, integrationId: string): string {
  return `${integrationId} ${readClientNetwork(request)}`;
}

/** Returns when a sample ends: with all others, but at the latest 24 hours after its arrival. */
export function endOfSample(refusedAt: Date, keptUntil: Date | null): Date {
  return new Date(Math.min(refusedAt.getTime() + sampleLimits.keepMs, keptUntil?.getTime() ?? 0));
}

/**
 * Makes the function that stores refused requests, and drops the oldest of each integration above the limit. If `count`
 * then finds that the integration does not want them, because it ended or an admin deleted them meanwhile, it removes
 * all. A deletion changes the integration first, so none is left behind.
 */
export function makeStoreRefused<T extends RefusedRequest>(
  records: RefusedRequests<T>,
  atMost: number,
  count: (record: T) => Promise<number>,
  insert: (record: T) => Promise<unknown> = (record) => records.insert(record),
) {
  return async (batch: readonly T[]): Promise<readonly unknown[]> => {
    const errors = await forEach(batch, insert);
    const oneOfEach = new Map(batch.map((record) => [record.integrationId, record])).values();
    const others = await forEach([...oneOfEach], async (record) => {
      const ofIntegration = { integrationId: record.integrationId } as Where<T>;
      if ((await count(record)) === 0) await records.removeAll(ofIntegration);
      const [tooOld] = await records.list(ofIntegration, { offset: atMost, limit: 1 });
      if (tooOld == null) return;
      const refusedAt = { below: new Date(tooOld.refusedAt.getTime() + 1) };
      await records.removeAll({ ...ofIntegration, refusedAt } as Where<T>);
    });
    return [...errors, ...others];
  };
}

/** Works on 20 at once. Throws an `UnavailableError`, and returns all other errors: they hold up no other record. */
async function forEach<T>(records: readonly T[], work: (record: T) => Promise<unknown>): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (let start = 0; start < records.length; start += 20) {
    const results = await Promise.allSettled(records.slice(start, start + 20).map(async (record) => work(record)));
    for (const result of results) if (result.status === 'rejected') errors.push(result.reason);
    const unavailable = errors.find((error) => error instanceof UnavailableError);
    if (unavailable !== undefined) throw unavailable;
  }
  return errors;
}

/** Adds the counts of one integration and hour. Drops those of hours that no store keeps. */
function mergeByHour(open: ReadonlyMap<string, typeof noHooks>, unwritten: readonly HookCounts[], now: Date) {
  const hour = toHour(now);
  const counted = [...open].map(([integrationId, counts]) => ({ integrationId, hour, ...counts }));
  const merged = new Map<string, HookCounts>();
  for (const counts of [...unwritten, ...counted]) {
    const key = `${counts.hour.getTime()} ${counts.integrationId}`;
    const { accepted, refused } = merged.get(key) ?? noHooks;
    merged.set(key, { ...counts, accepted: accepted + counts.accepted, refused: refused + counts.refused });
  }
  return [...merged.values()].filter((counts) => counts.hour.getTime() > now.getTime() - hookCountLimits.keepMs);
}

/** Returns a `webhook-id` as refusals store it. */
export function cutWebhookId(id: string): string {
  // The cut may leave a half of a surrogate pair.
  return id.slice(0, refusalLimits.webhookIdLength).toWellFormed();
}
