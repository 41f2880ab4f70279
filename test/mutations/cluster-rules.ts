import type { Mutation } from './mutation.ts';
import { processingRules } from './processing-rules.ts';

/** A rule of the data path on real stores, and what is to notice when it is gone. */
export interface ClusterMutation extends Mutation {
  /** A file of tests, from the root of the project. */
  readonly noticedBy: string;
}

const runsDieAndSleep = 'test/scenarios/failpoints-under-load.test.ts';
const redisLosesData = 'test/scenarios/faults-that-lose-data.test.ts';
const twoPods = 'test/scenarios/two-pods-deliver-everything.test.ts';
const everyStep = 'test/scenarios/a-worker-dies-or-sleeps-at-every-step.test.ts';
const effectsAreFenced = 'test/conformance/widget-effects.test.ts';

/** The simulation takes out more of them, and knows the stores by what stands for them. */
export const clusterRules: readonly ClusterMutation[] = [
  {
    rule: 'the fence is raised before anything is read',
    noticedBy: effectsAreFenced,
    file: 'packages/cluster/src/mongo/mongo-widget-effects.ts',
    from: '      await this.#widgets.updateMany({ id: { $in: ids }, fence: { $lt: run } }, { $set: { fence: run } });\n',
    to: '',
    also: [
      {
        file: 'packages/cluster/src/mongo/mongo-widget-effects.ts',
        from: '      if (documents.every((document) => document.fence >= run)) return documents;\n',
        to: '      await this.#widgets.updateMany({ id: { $in: ids }, fence: { $lt: run } }, { $set: { fence: run } });\n      return documents.map((document) => ({ ...document, fence: Math.max(run, document.fence) }));\n',
      },
    ],
  },
  { noticedBy: runsDieAndSleep, ...ofBothBackends('what is in the outbox is not applied again') },
  {
    rule: 'the effect is guarded by fence and version',
    noticedBy: everyStep,
    file: 'packages/cluster/src/mongo/mongo-widget-effects.ts',
    from: 'filter: { id: new UUID(change.widgetId), fence: run, version: change.fromVersion },',
    to: 'filter: { id: new UUID(change.widgetId) },',
  },
  { noticedBy: runsDieAndSleep, ...ofBothBackends('marked before it is pulled') },
  {
    rule: 'a guard does not expire before it is settled',
    noticedBy: runsDieAndSleep,
    file: 'packages/cluster/src/redis/scripts/append.lua',
    from: "redis.call('SET', guard, version == '' and '1' or version)",
    to: "redis.call('SET', guard, version == '' and '1' or version, 'PX', 200)",
  },
  { noticedBy: redisLosesData, ...ofBothBackends('the last position is expected: a lost tail begins an epoch') },
  {
    rule: 'the tail reads on from where it stands',
    noticedBy: twoPods,
    file: 'packages/cluster/src/redis/redis-event-log.ts',
    from: "'STREAMS', this.#options.log, toEntryId(after)),",
    to: "'STREAMS', this.#options.log, '$'),",
  },
];

function ofBothBackends(rule: string): Mutation {
  const mutation = processingRules.find((each) => each.rule === rule);
  if (mutation === undefined) throw new Error(`no rule is called "${rule}"`);
  return mutation;
}
