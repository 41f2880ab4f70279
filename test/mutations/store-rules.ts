import type { StoreMutation } from './mutation.ts';

const discard = 'test/conformance/delivery-ledger-discard.test.ts';
const widgetEffects = 'test/conformance/widget-effects.test.ts';
const widgetOutbox = 'test/conformance/widget-outbox.test.ts';
const widgetStore = 'test/conformance/widget-store.test.ts';
const eventLog = 'test/conformance/event-log.test.ts';
const collection = 'test/conformance/collection.test.ts';
const lastAdmin = 'test/conformance/last-admin.test.ts';
const staleRuns = 'test/conformance/event-log-stale-run.test.ts';
const redisCluster = 'test/conformance/redis-cluster.test.ts';
const restoredDocuments = 'test/conformance/restored-documents.test.ts';
const replicaAcks = 'test/conformance/hook-queue-replicas.test.ts';
const logLoss = 'test/conformance/event-log-loss.test.ts';

const mongoEffects = 'packages/cluster/src/mongo/mongo-widget-effects.ts';
const mongoLedger = 'packages/cluster/src/mongo/mongo-delivery-ledger.ts';
const sqliteLedger = 'packages/embedded/src/sqlite-delivery-ledger.ts';
const sqliteEffects = 'packages/embedded/src/sqlite-widget-effects.ts';
const sqliteMarks = 'packages/embedded/src/sqlite-event-rows.ts';
const appendScript = 'packages/cluster/src/redis/scripts/append.lua';
const isNewEvent = "local isNew = not mark or (version ~= '' and tonumber(version) > tonumber(mark))";

/** Rules of the stores, removed from the real adapters. Conformance tests must notice. */
export const storeRules: readonly StoreMutation[] = [
  {
    rule: 'SQLite: an effect requires the version',
    noticedBy: widgetEffects,
    file: sqliteEffects,
    from: 'WHERE id = ? AND version = ?',
    to: 'WHERE id = ? AND 0 * ? = 0',
  },
  {
    rule: 'MongoDB: an effect requires the version',
    noticedBy: widgetEffects,
    file: mongoEffects,
    from: ', version: change.fromVersion },',
    to: ' },',
  },
  {
    rule: 'SQLite: a run removes only the entries that it read',
    noticedBy: widgetOutbox,
    file: sqliteEffects,
    from: 'WHERE widget_id = ? AND version <= ?',
    to: 'WHERE widget_id = ? AND 0 * ? = 0',
  },
  {
    rule: 'MongoDB: a run removes only the entries that it read',
    noticedBy: widgetOutbox,
    file: mongoEffects,
    from: "{ $gt: ['$$entry.after.version', version] }",
    to: "{ $lt: ['$$entry.after.version', 0 * version] }",
  },
  {
    rule: 'SQLite: a watermark skips versions that are in the log',
    noticedBy: eventLog,
    file: sqliteMarks,
    from: ' WHERE excluded.version > version',
    to: '',
  },
  {
    rule: 'Redis: no two epochs have the same run number',
    noticedBy: logLoss,
    file: appendScript,
    from: 'if tonumber(run) <= highestEpochRun then',
    to: 'if tonumber(run) < 0 then',
  },
  {
    rule: 'Redis: a watermark skips versions that are in the log',
    noticedBy: eventLog,
    file: appendScript,
    from: isNewEvent,
    to: "local isNew = not mark or version ~= ''",
  },
  {
    rule: 'SQLite: a dedupe mark skips events without a widget that are in the log',
    noticedBy: eventLog,
    file: sqliteMarks,
    from: 'ON CONFLICT (event_id) DO NOTHING',
    to: 'ON CONFLICT (event_id) DO UPDATE SET expires_at = NULL',
  },
  {
    rule: 'Redis: a dedupe mark skips events without a widget that are in the log',
    noticedBy: eventLog,
    file: appendScript,
    from: isNewEvent,
    to: "local isNew = not mark or version == '' or tonumber(version) > tonumber(mark)",
  },
  {
    rule: 'SQLite: a dedupe mark does not expire before a run lets it expire',
    noticedBy: eventLog,
    file: sqliteMarks,
    from: 'INTO appended_events VALUES (?, NULL)',
    to: 'INTO appended_events VALUES (?, 0)',
  },
  {
    rule: 'Redis: the log rejects a stale run',
    noticedBy: staleRuns,
    file: 'packages/cluster/src/redis/scripts/log-functions.lua',
    from: 'if run < minRun then',
    to: 'if run < 0 then',
  },
  {
    rule: 'SQLite: concurrent creates with one idempotency key create one widget',
    noticedBy: widgetStore,
    file: 'packages/embedded/src/sqlite-widget-store.ts',
    from: 'if (idempotency !== null) {\n        const stored',
    to: 'if (idempotency === undefined) {\n        const stored',
    also: [
      {
        file: 'packages/embedded/src/sqlite-widget-store.ts',
        from: 'INSERT INTO idempotency_keys',
        to: 'INSERT OR REPLACE INTO idempotency_keys',
      },
    ],
  },
  {
    rule: 'MongoDB: concurrent creates with one idempotency key create one widget',
    noticedBy: widgetStore,
    file: 'packages/cluster/src/mongo/widget-document.ts',
    from: '_id: toDocumentId(widget.id, idempotency),',
    to: '_id: toDocumentId(widget.id, null),',
  },
  {
    rule: 'MongoDB: a run drops a redrive whose delivery was discarded since it was read',
    noticedBy: 'test/conformance/delivery-ledger-race.test.ts',
    file: mongoLedger,
    from: 'if (!areAllUpdated) duplicates.push',
    to: 'if (areAllUpdated === null) duplicates.push',
  },
  {
    rule: 'MongoDB: only a dead delivery can be discarded',
    noticedBy: discard,
    file: mongoLedger,
    from: '{ _id, integrationId, state }, { $set }',
    to: '{ _id, integrationId }, { $set }',
  },
  {
    rule: 'MongoDB: a late run does not bring back the payload of a discarded delivery',
    noticedBy: discard,
    file: mongoLedger,
    from: "{ $nin: ['published', 'discarded'] }",
    to: "{ $nin: ['published'] }",
  },
  {
    rule: 'SQLite: only a dead delivery can be discarded',
    noticedBy: discard,
    file: sqliteLedger,
    from: "integration_id = ? AND state = 'dead'\"",
    to: 'integration_id = ?"',
  },
  {
    rule: 'SQLite: a late run does not bring back a discarded delivery',
    noticedBy: discard,
    file: sqliteLedger,
    from: "state NOT IN ('published', 'discarded')",
    to: "state <> 'published'",
  },
  {
    rule: 'an enabled admin remains, also after the write of the change',
    noticedBy: lastAdmin,
    file: 'packages/shared/src/usecases/access/manage-users.ts',
    from: 'if (await hasAdminBeside(users, id)) {',
    to: "if (update.status === 'updated') {",
  },
  {
    rule: 'MongoDB: a change requires the revision that was read',
    noticedBy: collection,
    file: 'packages/cluster/src/mongo/mongo-collection.ts',
    from: 'const unchanged = { _id, revision }',
    to: 'const unchanged = { _id }',
  },
  {
    rule: 'MongoDB: a number that the log knows shows that MongoDB is older',
    noticedBy: restoredDocuments,
    file: 'packages/cluster/src/restore-check.ts',
    from: 'if (run >= highestInLog) return null;',
    to: 'if (run >= 0 * highestInLog) return null;',
  },
  {
    rule: 'MongoDB: a run gets no number that the log knows',
    noticedBy: restoredDocuments,
    file: 'packages/cluster/src/restore-check.ts',
    from: 'if (!isBehindLog && started.run > highestInLog) return started;',
    to: 'if (!isBehindLog && started.run > 0 * highestInLog) return started;',
  },
  {
    rule: 'MongoDB: it stays older until new-epoch, whatever numbers it gives meanwhile',
    noticedBy: restoredDocuments,
    file: 'packages/cluster/src/restore-check.ts',
    from: 'if (isBehindLog) return olderThanLog;',
    to: 'if (isBehindLog && newEpochs < 0) return olderThanLog;',
  },
  {
    rule: 'Redis Cluster: all connections of a process follow the owner of the slot together',
    noticedBy: redisCluster,
    file: 'packages/cluster/src/redis/cluster-connector.ts',
    from: 'if (!isSame(address, owner)) stream.destroy();',
    to: 'if (address === undefined) stream.destroy();',
  },
  {
    rule: 'Redis Cluster: a command that was moved leads to a new connection',
    noticedBy: redisCluster,
    file: 'packages/cluster/src/redis/redis-failover.ts',
    from: 'const hasMoved = /^(?:MOVED|READONLY)/;',
    to: 'const hasMoved = /^(?:READONLY)/;',
  },
  {
    rule: 'Redis: once there was a replica, a hook waits for one',
    noticedBy: replicaAcks,
    file: 'packages/cluster/src/bullmq/replica-acks.ts',
    from: 'this.#count = hasReplica || mark !== null ? 1 : 0;',
    to: 'this.#count = 0;',
  },
  {
    rule: 'Redis: a process that sees no replica waits for one if another process saw one',
    noticedBy: replicaAcks,
    file: 'packages/cluster/src/bullmq/replica-acks.ts',
    from: 'this.#count = hasReplica || mark !== null ? 1 : 0;',
    to: 'this.#count = hasReplica ? 1 : 0;',
  },
  {
    rule: 'Redis: every process follows an operator who removes the mark of a replica',
    noticedBy: replicaAcks,
    file: 'packages/cluster/src/bullmq/replica-acks.ts',
    from: 'this.#count = hasReplica || mark !== null ? 1 : 0;',
    to: 'this.#count = hasReplica || mark !== null || before === 1 ? 1 : 0;',
  },
];
