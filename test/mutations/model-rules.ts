import type { Rule } from '../model/publishing-rules.ts';
import type { World } from '../model/publishing-state.ts';
import {
  expiring,
  losing,
  losingAndTrimming,
  overlappingRuns,
  unstorableAndRedriven,
} from '../model/publishing-worlds.ts';
import type { ModelMutation } from './mutation.ts';

/** The rules whose removal breaks the promise, each alone, in this world. */
const neededAlone: readonly (readonly [World, readonly Rule[]])[] = [
  [
    overlappingRuns,
    [
      'a delivery in the outbox is not applied again',
      'a run appends the whole outbox',
      'the ledger is read after the claim',
      'deliveries are marked published before their entries are removed',
      'only events in the log are marked published',
      'a watermark skips versions that are in the log',
    ],
  ],
  [
    expiring,
    [
      'a dedupe mark skips events without a widget that are in the log',
      'a watermark stays until a run lets it expire',
      'an event mark stays until a run lets it expire',
      'a watermark expires only at the version that the run published',
      'a watermark expires only if the run still had its claim',
      'an append that raises a watermark removes its expiry',
      'a run that is too old does not append',
    ],
  ],
  [
    unstorableAndRedriven,
    [
      'a dead letter is processed only if it is redriven',
      'a published delivery does not become a dead letter',
      'a dead letter whose event is in the log is marked published',
    ],
  ],
  [
    losing,
    [
      'an append checks the last recorded position',
      'the position is recorded before deliveries are marked published',
      'a run records its position only over the one that its append was checked against',
      'the log still holds the position that another run recorded',
      'the log still holds the last event of the run',
      'a new epoch starts with an empty log',
    ],
  ],
  [losingAndTrimming, ['trimming stops at the last recorded position']],
];

/** Each pair breaks the promise together: without one rule, the other one is needed. */
const neededTogether: readonly (readonly [World, readonly Rule[]])[] = [
  [overlappingRuns, ['a claim raises the fence before it reads', 'an effect requires the version']],
  [overlappingRuns, ['an effect requires the fence', 'an effect requires the version']],
];

/** Rules of the publishing protocol. The model must notice when one is missing, or both of a pair. */
export const modelRules: readonly ModelMutation[] = [
  ...neededAlone.flatMap(([world, rules]) => rules.map((rule) => ({ rule, world, without: [rule] }))),
  ...neededTogether.map(([world, rules]) => ({ rule: rules.join(', or '), world, without: rules })),
];
