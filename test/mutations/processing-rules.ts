import type { CodeMutation } from './mutation.ts';

const processBatch = 'packages/shared/src/usecases/hooks/process-batch.ts';
const publishOutbox = 'packages/shared/src/usecases/events/publish-outbox.ts';
const runState = 'packages/shared/src/usecases/events/run-state.ts';
const scanOutboxes = 'packages/shared/src/usecases/events/scan-outboxes.ts';
const groupCommit = 'packages/shared/src/usecases/hooks/group-commit.ts';
const deadLetterRules = 'packages/shared/src/tasks/dead-letters.ts';

/** Rules of runs and of the group commit. `scenario-rules.ts` removes some of them on real servers, too. */
export const processingRules: readonly CodeMutation[] = [
  {
    rule: 'the ledger is read after the load',
    file: processBatch,
    from: 'const loaded = widgetIds.length === 0 ? [] : await this.#deps.effects.load(widgetIds);\n      applied = await applyDeliveries(this.#deps, this.#publisher, loaded, deliveries);',
    to: "const early = deliveries.length === 0 ? { duplicates: [], unstorable: [] } : await this.#deps.ledger.register(deliveries);\n      const loaded = widgetIds.length === 0 ? [] : await this.#deps.effects.load(widgetIds);\n      const ledger = { register: async () => early } as unknown as RunDeps['ledger'];\n      applied = await applyDeliveries({ ...this.#deps, ledger }, this.#publisher, loaded, deliveries);",
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
    rule: 'a run notices that its effect is superseded',
    file: processBatch,
    from: '    if (outcome.superseded) return null;\n',
    to: '',
  },
  {
    rule: 'deliveries are marked published before their entries are removed',
    file: publishOutbox,
    from: '    await ledger.markPublished(toPublishedDeliveries(group), clock.now());\n',
    to: '    const early = publications.flatMap(({ widgets }) => toPublishedThrough(widgets));\n    if (early.length > 0) await outboxes.removePublished(early);\n    await ledger.markPublished(toPublishedDeliveries(group), clock.now());\n',
  },
  {
    rule: 'events are appended before their deliveries are marked published',
    file: publishOutbox,
    from: '      const { positions, last, startedNewEpoch } = await this.#deps.eventLog.append(',
    to: '      await this.#deps.ledger.markPublished(toPublishedDeliveries(toAppended(appendable, [], false)), this.#deps.clock.now());\n      const { positions, last, startedNewEpoch } = await this.#deps.eventLog.append(',
  },
  {
    rule: 'a run with a delivery without a widget is not done before it is marked published',
    file: publishOutbox,
    from: 'return publication.withoutWidget.length === 0;',
    to: 'return publication.widgets.length >= 0;',
  },
  {
    rule: 'a watermark expires only after its entries have left the outbox',
    file: publishOutbox,
    from: '    if (published.length > 0) await outboxes.removePublished(published);\n',
    to: '    this.#expiringMarks.add(published.map(toWatermark));\n    if (published.length > 0) await outboxes.removePublished(published);\n',
  },
  {
    rule: 'marks expire under a number that was taken after their entries left the outbox',
    file: runState,
    from: 'await this.#numbers.takeNext()',
    to: 'await (this.#numbers as unknown as { get: () => Promise<{ run: number }> }).get()',
  },
  {
    rule: 'a run that is too old does not append',
    file: processBatch,
    from: 'takenAtMs < runLimits.maxAgeMs',
    to: 'takenAtMs < Number.POSITIVE_INFINITY',
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
    from: '.append(run, expected, appends)',
    to: '.append(run, null, appends)',
  },
  {
    rule: 'the last recorded position is read right before the append',
    file: runState,
    from: 'this.#clock.monotonicMs() - this.#knownAtMs < freshForMs',
    to: 'this.#knownAtMs > Number.NEGATIVE_INFINITY',
  },
  {
    rule: 'a run records the last position',
    file: publishOutbox,
    from: '      await this.#recorded.record(last, expected);\n',
    to: '',
  },
  {
    rule: 'a run records its position only over the one that its append was checked against',
    file: publishOutbox,
    from: '      await this.#recorded.record(last, expected);\n',
    to: '      const before = await this.#deps.runs.lastPosition();\n      const isLater = before === null || before.epochRun < last.epochRun || before.seq < last.seq;\n      if (isLater) await this.#deps.runs.recordPosition(last, before);\n',
  },
  {
    rule: 'a run checks that the log still covers its position exactly',
    file: runState,
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
