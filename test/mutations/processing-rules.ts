import type { CodeMutation } from './mutation.ts';

const processBatch = 'packages/shared/src/usecases/hooks/process-batch.ts';
const publishOutbox = 'packages/shared/src/usecases/events/publish-outbox.ts';
const scanOutboxes = 'packages/shared/src/usecases/events/scan-outboxes.ts';
const groupCommit = 'packages/shared/src/usecases/hooks/group-commit.ts';
const deadLetterRules = 'packages/shared/src/tasks/dead-letters.ts';

/** Rules of runs and of the group commit. `scenario-rules.ts` removes some of them on real servers, too. */
export const processingRules: readonly CodeMutation[] = [
  {
    rule: 'the ledger is read after the claim',
    file: processBatch,
    from: 'const claim = await deps.effects.claim(run, collectWidgetIds(items));\n      applied = claim.superseded.length > 0 ? null : await applyDeliveries(deps, run, claim.claimed, deliveries);',
    to: 'const early = deliveries.length === 0 ? { duplicates: [], unstorable: [] } : await deps.ledger.register(deliveries);\n      const claim = await deps.effects.claim(run, collectWidgetIds(items));\n      applied = claim.superseded.length > 0 ? null : await applyDeliveries({ ...deps, ledger: { register: async () => early } }, run, claim.claimed, deliveries);',
  },
  {
    rule: 'a run drops published deliveries',
    file: processBatch,
    from: 'new Set([...registered.duplicates, ...causes.keys()])',
    to: 'new Set(causes.keys())',
  },
  {
    rule: 'a delivery in the outbox is not applied again',
    file: processBatch,
    from: 'deliveries.filter((delivery) => !applied.has(delivery.eventId))',
    to: 'applied.size < 0 ? [] : deliveries',
  },
  {
    rule: 'a run notices that its claim is superseded',
    file: processBatch,
    from: 'claim.superseded.length > 0 ? null : await applyDeliveries',
    to: 'await applyDeliveries',
  },
  {
    rule: 'a run notices that its effect is superseded',
    file: processBatch,
    from: '    if (outcome.superseded.length > 0) return null;\n',
    to: '',
  },
  {
    rule: 'deliveries are marked published before their entries are removed',
    file: publishOutbox,
    from: '    await deps.ledger.markPublished(toPublishedDeliveries(publication, appends, positions), deps.clock.now());\n    const widgetMarks = await removeEntries(deps, run, widgets);\n',
    to: '    const widgetMarks = await removeEntries(deps, run, widgets);\n    await deps.ledger.markPublished(toPublishedDeliveries(publication, appends, positions), deps.clock.now());\n',
  },
  {
    rule: 'events are appended before their deliveries are marked published',
    file: publishOutbox,
    from: '    const { positions, last, startedNewEpoch } = await deps.eventLog.append(',
    to: '    await deps.ledger.markPublished(toPublishedDeliveries(publication, appends, []), deps.clock.now());\n    const { positions, last, startedNewEpoch } = await deps.eventLog.append(',
  },
  {
    rule: 'a watermark expires only if the run still had its claim',
    file: publishOutbox,
    from: 'new Set(superseded)',
    to: 'new Set(superseded.slice(superseded.length))',
  },
  {
    rule: 'a run that is too old does not append',
    file: processBatch,
    from: 'startedAtMs < runLimits.maxAgeMs',
    to: 'startedAtMs < Number.POSITIVE_INFINITY',
  },
  {
    rule: 'an outbox is appended in its order',
    file: publishOutbox,
    from: 'return entries.map((entry) => ({\n    event',
    to: 'return entries.toReversed().map((entry) => ({\n    event',
  },
  {
    rule: 'an append checks the last recorded position: a lost tail starts a new epoch',
    file: publishOutbox,
    from: 'deps.eventLog.append(run, expected, appends)',
    to: 'deps.eventLog.append(run, null, appends)',
  },
  {
    rule: 'the last recorded position is read again right before the append',
    file: publishOutbox,
    from: 'pickLatest(publication.lastPosition, await deps.runs.lastPosition())',
    to: 'pickLatest(publication.lastPosition, null)',
  },
  {
    rule: 'a run records the last position',
    file: publishOutbox,
    from: '    await recordLogEnd(deps, last, expected);\n',
    to: '',
  },
  {
    rule: 'a run records its position only over the one that its append was checked against',
    file: publishOutbox,
    from: '    await recordLogEnd(deps, last, expected);\n',
    to: '    const before = await deps.runs.lastPosition();\n    if (before === null || pickLatest(before, last) === last) await deps.runs.recordPosition(last, before);\n',
  },
  {
    rule: 'a run checks that the log still covers its position exactly',
    file: publishOutbox,
    from: 'isCovered(position, inspection.extent, inspection.contains);',
    to: '(inspection.contains || position.seq <= inspection.extent.oldest.seq);',
  },
  {
    rule: 'the scanner finds overdue outboxes',
    file: scanOutboxes,
    from: '  return async (signal: AbortSignal): Promise<OutboxScan> => {\n',
    to: '  return async (signal: AbortSignal): Promise<OutboxScan> => {\n    if (widgetsPerJob > 0) return { widgets: 0, hasMore: false };\n',
  },
  {
    rule: 'the 202 waits for the queue',
    file: groupCommit,
    from: '        await this.#queue.enqueue(job);\n',
    to: '        this.#settleAll(callers);\n        await this.#queue.enqueue(job);\n',
  },
  {
    rule: 'a job is done only after its items are published',
    file: deadLetterRules,
    from: "  if (outcome === 'unavailable' || outcome === 'superseded') return 'retry';",
    to: "  if (outcome === 'unavailable' || outcome === 'superseded') return 'done';",
  },
];
