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

/** The rules whose removal breaks the promise in this world. */
const neededRules: readonly (readonly [World, readonly Rule[]])[] = [
  [
    overlappingRuns,
    [
      'a delivery in the outbox is not applied again',
      'a run appends the whole outbox',
      'an effect requires the version',
      'the ledger is read after the load',
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
      'marks expire under a number that was taken after their entries left the outbox',
      'the log rejects runs below the number that marks expired under',
      'an append that raises a watermark removes its expiry',
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

/** Rules of the publishing protocol. The model must notice when one is missing. */
export const modelRules: readonly ModelMutation[] = neededRules.flatMap(([world, rules]) =>
  rules.map((rule) => ({ rule, world, without: [rule] })),
);
