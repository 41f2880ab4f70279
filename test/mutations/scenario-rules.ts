import type { CodeMutation, StoreMutation } from './mutation.ts';
import { processingRules } from './processing-rules.ts';

const runsDieAndSleep = 'test/scenarios/failpoints-under-load.test.ts';
const redisLosesData = 'test/scenarios/faults-that-lose-data.test.ts';
const twoPods = 'test/scenarios/two-pods-publish-each-hook-once.test.ts';

/** Rules of runs, stores and the tail that scenarios must notice, with real processes under faults. */
export const scenarioRules: readonly StoreMutation[] = [
  { noticedBy: runsDieAndSleep, ...fromProcessingRules('a delivery in the outbox is not applied again') },
  {
    rule: 'MongoDB: an effect requires the version, under faults',
    noticedBy: runsDieAndSleep,
    file: 'packages/cluster/src/mongo/mongo-widget-effects.ts',
    from: 'filter: { id: new UUID(change.widgetId), version: change.fromVersion },',
    to: 'filter: { id: new UUID(change.widgetId) },',
  },
  {
    noticedBy: runsDieAndSleep,
    ...fromProcessingRules('deliveries are marked published before their entries are removed'),
  },
  {
    rule: 'Redis: a dedupe mark does not expire before a run lets it expire',
    noticedBy: runsDieAndSleep,
    file: 'packages/cluster/src/redis/scripts/append.lua',
    from: "redis.call('SET', markKey, version == '' and '1' or version)",
    to: "redis.call('SET', markKey, version == '' and '1' or version, 'PX', 200)",
  },
  {
    noticedBy: redisLosesData,
    ...fromProcessingRules('an append checks the last recorded position: a lost tail starts a new epoch'),
  },
  {
    rule: 'the tail reads from its position, not from the end',
    noticedBy: twoPods,
    file: 'packages/cluster/src/redis/redis-event-log.ts',
    from: "'STREAMS', this.#key, toEntryId(after)),",
    to: "'STREAMS', this.#key, '$'),",
  },
];

function fromProcessingRules(rule: string): CodeMutation {
  const mutation = processingRules.find((each) => each.rule === rule);
  if (mutation === undefined) throw new Error(`there is no rule "${rule}"`);
  return mutation;
}
