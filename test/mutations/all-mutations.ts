import { modelRules } from './model-rules.ts';
import type { Mutation } from './mutation.ts';
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
