import { parseArgs } from 'node:util';
import { modelRules } from './model-rules.ts';
import { type Mutation, watchers } from './mutation.ts';
import { processingRules } from './processing-rules.ts';
import { scenarioRules } from './scenario-rules.ts';
import { storeRules } from './store-rules.ts';
import { streamRules } from './stream-rules.ts';

/** What `npm run mutations` removes. A rule that several must notice is in the list of each. */
export const allMutations: readonly Mutation[] = [
  ...modelRules.map((rule) => ({ ...rule, by: 'model' as const })),
  ...[...streamRules, ...processingRules].map((rule) => ({ ...rule, by: 'simulation' as const })),
  ...[...storeRules, ...scenarioRules].map((rule) => ({ ...rule, by: 'servers' as const })),
];

/** What the arguments of `npm run mutations` ask for. */
export interface Selection {
  readonly mutations: readonly Mutation[];
  /** The number of seeds that the simulation tries before a rule counts as not found. */
  readonly seeds: string;
}

/** Reads `--by`, `--only` and `--seeds`. Throws if an argument is wrong, or if no rule is left. */
export function selectMutations(args: readonly string[]): Selection {
  const { by, only, seeds } = parseArgs({
    args: [...args],
    options: {
      by: { type: 'string' },
      only: { type: 'string', default: '' },
      seeds: { type: 'string', default: '4000' },
    },
  }).values;
  if (by !== undefined && !watchers.some((watcher) => watcher === by)) {
    throw new Error(`--by must be one of ${watchers.join(', ')}, not "${by}"`);
  }
  if (!/^[1-9][0-9]*$/.test(seeds)) throw new Error(`--seeds must be a positive whole number, not "${seeds}"`);
  const mutations = allMutations.filter((each) => (by === undefined || each.by === by) && each.rule.includes(only));
  if (mutations.length === 0) throw new Error(`no rule${by === undefined ? '' : ` of --by ${by}`} contains "${only}"`);
  return { mutations, seeds };
}
