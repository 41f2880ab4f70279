import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { pickHookChanged } from '@widget-service/shared/domain/widget.ts';
import type { Claim, WidgetChange, WidgetEffects } from '@widget-service/shared/ports/widget-effects.ts';
import { type AnyBulkWriteOperation, type Db, UUID } from 'mongodb';
import { toBsonUuids } from './bson-uuid.ts';
import { runDeadlineMs, runPortCall, writeStorable } from './translate-error.ts';
import { toOutboxDocument, toWidget, type WidgetDocument, widgetCollection } from './widget-document.ts';

const maxTimeMS = runDeadlineMs;
const maxClaimRounds = 5;

type ClaimedDocument = Omit<WidgetDocument, 'idem'>;

export function createMongoWidgetEffects(db: Db): WidgetEffects {
  const widgets = widgetCollection(db);

  /** Raises the fences, then reads. Repeats if a widget was created in between: it still has a lower fence. */
  async function raiseFences(run: number, widgetIds: readonly string[]): Promise<ClaimedDocument[]> {
    const ids = toBsonUuids(widgetIds);
    const [onlyId] = ids;
    if (onlyId === undefined) return [];
    const only = ids.length === 1 ? await raiseFence(run, onlyId) : null;
    if (only !== null) return [only];
    for (let round = 0; round < maxClaimRounds; round += 1) {
      await widgets.updateMany({ id: { $in: ids }, fence: { $lt: run } }, { $set: { fence: run } });
      const documents = await widgets
        .find<ClaimedDocument>({ id: { $in: ids } }, { projection: { idem: 0 }, maxTimeMS, batchSize: ids.length + 1 })
        .toArray();
      if (documents.every((document) => document.fence >= run)) return documents;
    }
    throw new UnavailableError(
      `MongoDB, claim widgets: a fence is still below run ${run} after ${maxClaimRounds} tries`,
    );
  }

  /** Raises the fence of one widget and reads it, in one call. Returns null if the widget is unknown or superseded. */
  function raiseFence(run: number, id: UUID): Promise<ClaimedDocument | null> {
    return widgets.findOneAndUpdate(
      { id, fence: { $lt: run } },
      { $set: { fence: run } },
      { projection: { idem: 0 }, returnDocument: 'after', maxTimeMS },
    );
  }

  /**
   * Reads back which changes are missing, because a bulk write returns only totals. A change that an earlier try of
   * this call has written counts as applied. The fence shows that no other run wrote since; the version and the events
   * show that it was this change.
   */
  async function findNotApplied(run: number, changes: readonly WidgetChange[]): Promise<string[]> {
    const ids = toBsonUuids(changes.map((change) => change.widgetId));
    const documents = await widgets
      .find({ id: { $in: ids } }, { projection: { id: 1, fence: 1, version: 1, 'outbox.eventId': 1 }, maxTimeMS })
      .toArray();
    const byId = new Map(documents.map((document) => [document.id.toHexString(), document]));
    return changes
      .filter((change) => !isApplied(run, change, byId.get(change.widgetId)))
      .map((change) => change.widgetId);
  }

  return {
    claim: (run, widgetIds) =>
      runPortCall('claim widgets', async () => toClaim(run, await raiseFences(run, widgetIds)), runDeadlineMs),
    apply: (run, changes) =>
      runPortCall(
        'apply hooks',
        async () => {
          if (changes.length === 0) return { superseded: [], unstorable: [] };
          const { matchedCount, rejected } = await writeStorable(
            changes.map((change) => toUpdate(run, change)),
            (operations) => widgets.bulkWrite(operations, { ordered: false }),
          );
          if (matchedCount === changes.length) return { superseded: [], unstorable: [] };
          const unstorable = rejected.map(({ index, cause }) => ({ id: changes[index]?.widgetId ?? '', cause }));
          const unstorableIds = new Set(unstorable.map(({ id }) => id));
          const storable = changes.filter(({ widgetId }) => !unstorableIds.has(widgetId));
          return { superseded: await findNotApplied(run, storable), unstorable };
        },
        runDeadlineMs,
      ),
  };
}

function isApplied(
  run: number,
  change: WidgetChange,
  document: Pick<WidgetDocument, 'fence' | 'version' | 'outbox'> | undefined,
): boolean {
  if (document?.fence !== run || document.version !== change.after.version) return false;
  const storedIds = new Set(document.outbox.map((entry) => entry.eventId));
  return change.entries.every((entry) => storedIds.has(entry.eventId));
}

function toClaim(run: number, documents: readonly ClaimedDocument[]): Claim {
  return {
    claimed: documents
      .filter((document) => document.fence === run)
      .map((document) => ({ widget: toWidget(document), outbox: document.outbox.map(toOutboxDocument) })),
    superseded: documents.filter((document) => document.fence !== run).map((document) => document.id.toHexString()),
  };
}

function toUpdate(run: number, change: WidgetChange): AnyBulkWriteOperation<WidgetDocument> {
  const { after, entries } = change;
  const receivedAt = entries.map((entry) => entry.receivedAt.getTime());
  return {
    updateOne: {
      filter: { id: new UUID(change.widgetId), fence: run, version: change.fromVersion },
      update: {
        $set: pickHookChanged(after),
        ...(entries.length === 0
          ? {}
          : {
              $push: { outbox: { $each: entries.map(toOutboxDocument) } },
              $min: { outboxSince: new Date(Math.min(...receivedAt)) },
            }),
      },
    },
  };
}
