import type { Delivery } from '../../domain/delivery.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Integration } from '../../entities/grant.ts';
import type { Collection } from '../../ports/collection.ts';
import type { DeliveryLedger, LedgerRow, ReceptionRange } from '../../ports/delivery-ledger.ts';
import { readNames } from '../lists/list-counted-page.ts';
import type { GroupCommit } from './group-commit.ts';

export type RedriveOutcome =
  /**
   * The delivery is durably queued again. `delivery` is its ledger row, which stays `dead` until a worker registers it.
   */
  | { readonly status: 'queued'; readonly delivery: LedgerRow }
  /** There is no such delivery, or it belongs to another integration. */
  | { readonly status: 'unknown' }
  /** The state of the delivery is `published`, `discarded` or `received`. */
  | { readonly status: 'not-dead' };

/** The most deliveries that one call redrives. */
export const redrivesMax = 100;

export type RedriveSelection =
  | { readonly eventIds: readonly string[] }
  /** The newest dead deliveries of the range. `after` is the `next` of the previous call, to continue behind it. */
  | { readonly dead: Omit<ReceptionRange, 'listedAfter'>; readonly after: string | null };

/** What became of one delivery. */
export interface Redrive {
  readonly eventId: string;
  /** Null if it is not known. */
  readonly integrationId: string | null;
  /**
   * `not-found`: there is no such delivery, its integration is deleted, or it belongs to another integration. `failed`:
   * the queue did not accept it, or a store did not answer; it may be queued all the same.
   */
  readonly outcome: 'redriven' | 'not-dead' | 'not-found' | 'failed';
  /** Null unless the outcome is `failed`. */
  readonly error: Error | null;
}

export type RedrivesOutcome =
  | {
      readonly status: 'done';
      /** One for each delivery that was selected, in the order of the selection. */
      readonly redrives: readonly Redrive[];
      /** The `after` for the next call. Null: the range has no more dead deliveries. */
      readonly next: string | null;
    }
  /** The delivery `after` does not exist. Nothing was redriven. */
  | { readonly status: 'unknown-after' };

interface Selected {
  readonly eventIds: readonly string[];
  readonly next: string | null;
}

/** Redrives dead letters: puts them back into the hook queue. */
export class RedriveDeliveries {
  readonly #ledger: Pick<DeliveryLedger, 'get' | 'list'>;
  readonly #integrations: Pick<Collection<Integration>, 'list'>;
  readonly #groupCommit: Pick<GroupCommit, 'submit'>;

  constructor(
    ledger: Pick<DeliveryLedger, 'get' | 'list'>,
    integrations: Pick<Collection<Integration>, 'list'>,
    groupCommit: Pick<GroupCommit, 'submit'>,
  ) {
    this.#ledger = ledger;
    this.#integrations = integrations;
    this.#groupCommit = groupCommit;
  }

  /**
   * Puts a delivery into the queue again, with its original `receivedAt`. A second redrive is harmless: once the
   * delivery is published or discarded, a run drops it as a duplicate. A malformed delivery is queued with its readable
   * fields. It becomes a dead letter again, unless a newer worker can parse it.
   *
   * Throws `UnavailableError` when the ledger does not answer, and what `GroupCommit.submit` throws: the delivery is
   * not queued if the backlog of the integration is full (`ServiceError`), the admission limit is exceeded or too many
   * callers wait. If the queue does not answer in time, it may be queued all the same.
   */
  async redriveOne(integrationId: string, eventId: string): Promise<RedriveOutcome> {
    const row = await this.#ledger.get(eventId);
    if (row === null || row.integrationId !== integrationId) return { status: 'unknown' };
    if (row.state !== 'dead') return { status: 'not-dead' };
    const { kind, occurredAt, widgetId, payload, receivedAt } = row;
    const delivery = { eventId, integrationId, kind, occurredAt, widgetId, payload, receivedAt, redrive: true };
    // The cast is not checked here: the worker parses the delivery again.
    await this.#groupCommit.submit({ type: 'delivery', delivery: delivery as Delivery });
    return { status: 'queued', delivery: row };
  }

  /**
   * Redrives several deliveries of an integration, or of all integrations (null). The caller selects at most
   * `redrivesMax` event ids; one that is selected twice counts once. If a delivery fails, the others are redriven all
   * the same. If none was redriven because of an error, throws that error. Also throws `UnavailableError` if the
   * selection cannot be read.
   */
  async redriveAll(integrationId: string | null, selection: RedriveSelection): Promise<RedrivesOutcome> {
    const selected = await this.#select(integrationId, selection);
    if (selected === null) return { status: 'unknown-after' };
    const { eventIds, next } = selected;
    const integrationIds =
      integrationId === null ? await this.#findIntegrations(eventIds) : eventIds.map(() => integrationId);
    const redrives = await Promise.all(
      eventIds.map((eventId, index) => this.#redrive(eventId, integrationIds[index] ?? null)),
    );
    const failed = redrives.find(({ error }) => error !== null);
    if (failed !== undefined && !redrives.some(({ outcome }) => outcome === 'redriven')) throw failed.error;
    return { status: 'done', redrives, next };
  }

  async #select(integrationId: string | null, selection: RedriveSelection): Promise<Selected | null> {
    if ('eventIds' in selection) return { eventIds: [...new Set(selection.eventIds)], next: null };
    const { dead, after } = selection;
    const listedAfter = after === null ? null : await this.#ledger.get(after);
    if (after !== null && listedAfter === null) return null;
    const filter = { ...dead, integrationId, state: 'dead', ...(listedAfter === null ? {} : { listedAfter }) } as const;
    const rows = await this.#ledger.list(filter, { offset: 0, limit: redrivesMax + 1 });
    const eventIds = rows.slice(0, redrivesMax).flatMap((row) => row?.eventId ?? []);
    return { eventIds, next: rows.length > redrivesMax ? (eventIds.at(-1) ?? null) : null };
  }

  /** Returns the integration of each delivery. Null: the delivery is unknown, or its integration is deleted. */
  async #findIntegrations(eventIds: readonly string[]): Promise<readonly (string | null)[]> {
    const rows = await Promise.all(eventIds.map((eventId) => this.#ledger.get(eventId)));
    const named = rows.map((row) => row?.integrationId ?? null);
    const existing = await readNames(this.#integrations, [...new Set(named.filter((id) => id !== null))]);
    return named.map((id) => (id !== null && existing.has(id) ? id : null));
  }

  async #redrive(eventId: string, integrationId: string | null): Promise<Redrive> {
    const result = { eventId, integrationId, error: null };
    if (integrationId === null) return { ...result, outcome: 'not-found' };
    try {
      const { status } = await this.redriveOne(integrationId, eventId);
      return { ...result, outcome: outcomes[status] };
    } catch (error) {
      return { ...result, outcome: 'failed', error: toError(error) };
    }
  }
}

const outcomes = { queued: 'redriven', unknown: 'not-found', 'not-dead': 'not-dead' } as const;

function toError(error: unknown): Error {
  return error instanceof Error ? error : new ServiceError('internal', String(error));
}
