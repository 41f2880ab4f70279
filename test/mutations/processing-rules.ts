import type { Mutation } from './mutation.ts';

const processBatch = 'packages/shared/src/usecases/hooks/process-batch.ts';
const applyToWidgets = 'packages/shared/src/usecases/hooks/apply-to-widgets.ts';
const publishOutbox = 'packages/shared/src/usecases/events/publish-outbox.ts';
const scanOutboxes = 'packages/shared/src/usecases/events/scan-outboxes.ts';
const groupCommit = 'packages/shared/src/usecases/hooks/group-commit.ts';
const consumeBatch = 'packages/shared/src/tasks/consume-batch.ts';
// What the stores themselves must keep to stands here in the ports that stand for them.
const effects = 'test/simulation/stores/simulated-widget-effects.ts';
const outboxes = 'test/simulation/stores/simulated-widget-outbox.ts';
const widgetStore = 'test/simulation/stores/simulated-widget-store.ts';
const eventStream = 'test/simulation/stores/event-stream.ts';

/** What a run, the gate and the stores keep to. */
export const processingRules: readonly Mutation[] = [
  {
    rule: 'the fence is raised before anything is read',
    file: effects,
    from: 'for (const id of widgetIds) await ask(() => raiseFence(database.widgets.get(id), run));\n          const read = await ask(() => readClaim(database, run, widgetIds));',
    to: 'const seen = await ask(() => widgetIds.flatMap((id) => database.widgets.get(id) ?? []).map((one) => ({ ...one, fence: run })));\n          for (const id of widgetIds) await ask(() => raiseFence(database.widgets.get(id), run));\n          const now = await ask(() => readClaim(database, run, widgetIds));\n          const read = now && { ...now, claimed: seen.filter(({ widget }) => !now.superseded.includes(widget.id)) };',
  },
  {
    rule: 'the ledger is asked after the claim',
    file: processBatch,
    from: 'const claim = await deps.effects.claim(run, collectWidgetIds(items));\n      effects = claim.superseded.length > 0 ? null : await applyDeliveries(deps, run, claim.claimed, deliveries);',
    to: 'const early = deliveries.length === 0 ? { duplicates: [], unstorable: [] } : await deps.ledger.register(deliveries);\n      const claim = await deps.effects.claim(run, collectWidgetIds(items));\n      effects = claim.superseded.length > 0 ? null : await applyDeliveries({ ...deps, ledger: { register: async () => early } }, run, claim.claimed, deliveries);',
  },
  {
    rule: 'the effect is guarded by fence and version',
    file: effects,
    from: "  if (document.fence !== run || document.widget.version !== change.fromVersion) return 'missed';\n",
    to: '',
  },
  {
    rule: 'the effect is guarded by the fence (the version alone is left)',
    file: effects,
    from: 'if (document.fence !== run || document.widget.version',
    to: 'if (document.widget.version',
  },
  {
    rule: 'the effect is guarded by the version (the fence alone is left)',
    file: effects,
    from: 'if (document.fence !== run || document.widget.version !== change.fromVersion)',
    to: 'if (document.fence !== run)',
  },
  {
    rule: 'the ledger drops what is published',
    file: processBatch,
    from: 'new Set([...taken.duplicates, ...taken.unstorable])',
    to: 'new Set(taken.unstorable)',
  },
  {
    rule: 'what is in the outbox is not applied again',
    file: applyToWidgets,
    from: 'deliveries.filter((delivery) => !applied.has(delivery.eventId))',
    to: 'applied.size < 0 ? [] : deliveries',
  },
  {
    rule: 'a refused claim is noticed',
    file: processBatch,
    from: 'claim.superseded.length > 0 ? null : await applyDeliveries',
    to: 'await applyDeliveries',
  },
  {
    rule: 'a refused effect is noticed',
    file: applyToWidgets,
    from: '    if (outcome.superseded.length > 0) return null;\n',
    to: '',
  },
  {
    rule: 'the fence on the pull',
    file: outboxes,
    from: '  if (document.fence !== run) return false;\n',
    to: '',
  },
  {
    rule: 'only what was read is pulled',
    file: outboxes,
    from: 'after.version > version',
    to: 'after.version < version',
  },
  {
    rule: 'marked before it is pulled',
    file: publishOutbox,
    from: '    await deps.ledger.markPublished(toLedgerRows(publication, appends, positions), deps.clock.now());\n    const settled = await emptyOutboxes(deps, run, widgets);\n',
    to: '    const settled = await emptyOutboxes(deps, run, widgets);\n    await deps.ledger.markPublished(toLedgerRows(publication, appends, positions), deps.clock.now());\n',
  },
  {
    rule: 'appended before it is marked',
    file: publishOutbox,
    from: '    const { positions, last, startedNewEpoch } = await deps.eventLog.append(',
    to: '    await deps.ledger.markPublished(toLedgerRows(publication, appends, []), deps.clock.now());\n    const { positions, last, startedNewEpoch } = await deps.eventLog.append(',
  },
  {
    rule: 'the watermark',
    file: eventStream,
    from: 'mark !== null && version <= mark',
    to: "mark !== null && guard.kind === 'event'",
  },
  {
    rule: 'the mark of an event without a widget',
    file: eventStream,
    from: 'mark !== null && version <= mark',
    to: "mark !== null && guard.kind === 'version' && version <= mark",
  },
  {
    rule: 'a guard does not expire before it is settled',
    file: eventStream,
    from: 'expiresAtMs: null });\n  return true',
    to: 'expiresAtMs: nowMs + settledGuardMs });\n  return true',
  },
  {
    rule: 'settled only where the run had its claim at the pull',
    file: publishOutbox,
    from: 'new Set(superseded)',
    to: 'new Set(superseded.slice(refused.length))',
  },
  {
    rule: 'a run that is too old does not append',
    file: processBatch,
    from: 'const maxRunMs = 10 * 60_000;',
    to: 'const maxRunMs = Number.POSITIVE_INFINITY;',
  },
  {
    rule: 'the log refuses a run that comes late',
    file: eventStream,
    from: 'if (run < past) throw',
    to: 'if (run < 0) throw',
  },
  {
    rule: 'the outbox is appended in its order',
    file: publishOutbox,
    from: 'return entries.map((entry) => ({\n    event',
    to: 'return entries.toReversed().map((entry) => ({\n    event',
  },
  {
    rule: 'the last position is expected: a lost tail begins an epoch',
    file: publishOutbox,
    from: 'deps.eventLog.append(run, expected, appends)',
    to: 'deps.eventLog.append(run, null, appends)',
  },
  {
    rule: 'the last position is read again right before the append',
    file: publishOutbox,
    from: 'latestOf(publication.lastPosition, await deps.runs.lastPosition())',
    to: 'latestOf(publication.lastPosition, null)',
  },
  {
    rule: 'the last position is recorded',
    file: publishOutbox,
    from: '    await recordLogEnd(deps, last, expected);\n',
    to: '',
  },
  {
    rule: 'recorded only over the position that was checked',
    file: publishOutbox,
    from: '    await recordLogEnd(deps, last, expected);\n',
    to: '    const before = await deps.runs.lastPosition();\n    if (before === null || latestOf(before, last) === last) await deps.runs.recordPosition(last, before);\n',
  },
  {
    rule: 'only a position that the log still knows exactly is held',
    file: publishOutbox,
    from: 'isCovered(position, known.extent, known.contains);',
    to: '(known.contains || position.seq <= known.extent.oldest.seq);',
  },
  {
    rule: 'the scanner',
    file: scanOutboxes,
    from: '  return async (signal: AbortSignal): Promise<OutboxScan> => {\n',
    to: '  return async (signal: AbortSignal): Promise<OutboxScan> => {\n    if (widgetsPerJob > 0) return { widgets: 0, hasMore: false };\n',
  },
  {
    rule: 'the 202 waits for the queue',
    file: groupCommit,
    from: '        await this.#queue.enqueue(batch);\n',
    to: '        this.#settleAll(members);\n        await this.#queue.enqueue(batch);\n',
  },
  {
    rule: 'a job that is not done is not called done',
    file: consumeBatch,
    from: "  if (outcome === 'unavailable' || outcome === 'superseded') return 'retry';",
    to: "  if (outcome === 'unavailable' || outcome === 'superseded') return 'done';",
  },
  {
    rule: 'of the creations with one key one takes place',
    file: widgetStore,
    from: '  if (known !== undefined) return false;\n',
    to: '',
  },
];
