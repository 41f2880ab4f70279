import type { Rule } from './publishing-rules.ts';
import type { World } from './publishing-state.ts';

/** A run, the same job given out again, another batch that repeats a hook, and a nudge. */
export const overlapping: World = {
  actors: [
    { batch: ['a1', 'a2'], mayDie: true },
    { batch: ['a1', 'a2'], mayDie: false, after: 0 },
    { batch: ['b1', 'a1'], mayDie: false },
    { batch: [], mayDie: true },
  ],
};

/** The same without the nudge: small enough for every test run. */
export const overlappingRuns: World = { actors: overlapping.actors.slice(0, 3) };

/** Hooks with a widget and without, told by runs that may sleep for more than the hour in which guards expire. */
export const expiring: World = {
  hours: 1,
  actors: [
    { batch: ['a1', 'l1'], mayDie: true },
    { batch: ['a1', 'l1'], mayDie: false, after: 0 },
    { batch: ['b1'], mayDie: false },
  ],
};

/** A hook that the store refuses for a while, given up, and tried again. */
export const refusedAndRedriven: World = {
  actors: [
    { batch: ['a1', 'p1'], mayDie: true },
    { batch: ['a1', 'p1'], mayDie: false, after: 0 },
    { batch: ['p1'], mayDie: false, redrive: true },
  ],
};

/** The same, and a nudge that publishes what is left behind. */
export const refusedRedrivenAndNudged: World = {
  actors: [...refusedAndRedriven.actors, { batch: [], mayDie: true }],
};

/** Two runs that share nothing but the log, which is wiped, or comes back as it was at any moment before. */
export const losing: World = {
  losses: 1,
  actors: [
    { batch: ['a1'], mayDie: true },
    { batch: ['l1', 'l2'], mayDie: false },
  ],
};

/** The same, but one run tells more than the other, and retention drops what it may. */
export const losingAndTrimming: World = {
  losses: 1,
  trims: 1,
  actors: [
    { batch: ['a1'], mayDie: true },
    { batch: ['l1', 'l2', 'l3'], mayDie: false },
  ],
};

/** Two runs of the widget while the log is lost, which start again more often. */
export const losingAndRetrying: World = {
  losses: 1,
  refusals: 2,
  actors: [
    { batch: ['a1', 'l1'], mayDie: true },
    { batch: ['b1', 'l2'], mayDie: false },
  ],
};

/** The log is lost twice, and trimmed twice. */
export const losingTwice: World = { ...losingAndTrimming, losses: 2, trims: 2 };

/** Each of these alone is missed in its world. */
export const missedAlone: readonly (readonly [World, readonly Rule[]])[] = [
  [
    overlappingRuns,
    [
      'the outbox is looked at',
      'the whole outbox is told',
      'the ledger after the claim',
      'the mark before the pull',
      'only what was told is marked',
      'a widget has a watermark',
    ],
  ],
  [
    expiring,
    [
      'a loose hook has a guard',
      'a watermark stays until it is settled',
      'a guard stays until it is settled',
      'a watermark is settled at its height',
      'a watermark is settled after the own pull',
      'a raised watermark stays',
      'an old run stops',
    ],
  ],
  [
    refusedAndRedriven,
    ['a dead letter waits to be redriven', 'what is published is not given up', 'what is told is no dead letter'],
  ],
  [
    losing,
    [
      'the log knows the last position',
      'the position before the mark',
      'the position is recorded over one that the log knows',
      'what others recorded is still there',
      'the own events are still there',
      'a new epoch empties the log',
    ],
  ],
  [losingAndTrimming, ['trimming stops at what was recorded']],
];

/**
 * None of these is missed alone, nor are all of them together: the outbox and the version are read before the ledger is
 * asked, so a write on the version read is refused wherever another run has applied anything since, and what another
 * run pulled since was marked before the ledger was asked. What they are for: the later run wins at once instead of
 * losing its work at the write; a run that was overtaken does not do the rest of its work for nothing; whose claim
 * still stands may let the watermark expire; and what was recorded meanwhile is seldom found only afterwards.
 */
export const spare: readonly Rule[] = [
  'number first',
  'a refusal is noticed',
  'the effect is guarded by the fence',
  'the pull is fenced',
  'the last position is read before the append',
];

/** But where one of them is gone, another is missed that is spare itself as long as they are there. */
export const missedTogether: readonly (readonly [World, readonly Rule[]])[] = [
  [overlappingRuns, ['number first', 'the effect is guarded by the version']],
  [overlappingRuns, ['the effect is guarded by the fence', 'the effect is guarded by the version']],
];
