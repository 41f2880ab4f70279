import type { World } from './publishing-state.ts';

/** A run, the same job started again, another batch that repeats a hook, and a nudge. */
export const overlapping: World = {
  actors: [
    { batch: ['a1', 'a2'], mayCrash: true },
    { batch: ['a1', 'a2'], mayCrash: false, after: 0 },
    { batch: ['b1', 'a1'], mayCrash: false },
    { batch: [], mayCrash: true },
  ],
};

/** The same without the nudge: small enough for every test run. */
export const overlappingRuns: World = { actors: overlapping.actors.slice(0, 3) };

/** Hooks with and without a widget. The runs may sleep for longer than the hour in which dedupe marks expire. */
export const expiring: World = {
  hours: 1,
  actors: [
    { batch: ['a1', 'l1'], mayCrash: true },
    { batch: ['a1', 'l1'], mayCrash: false, after: 0 },
    { batch: ['b1'], mayCrash: false },
  ],
};

/** A hook that the store rejects for a while. It becomes a dead letter and is redriven. */
export const unstorableAndRedriven: World = {
  actors: [
    { batch: ['a1', 'p1'], mayCrash: true },
    { batch: ['a1', 'p1'], mayCrash: false, after: 0 },
    { batch: ['p1'], mayCrash: false, isRedrive: true },
  ],
};

/** The same, and a nudge that publishes what the runs leave in the outbox. */
export const unstorableRedrivenAndNudged: World = {
  actors: [...unstorableAndRedriven.actors, { batch: [], mayCrash: true }],
};

/** Two runs that share only the log. The log is wiped, or restored from an earlier moment. */
export const losing: World = {
  losses: 1,
  actors: [
    { batch: ['a1'], mayCrash: true },
    { batch: ['l1', 'l2'], mayCrash: false },
  ],
};

/** The same, but one run publishes more than the other, and retention may drop events. */
export const losingAndTrimming: World = {
  losses: 1,
  trims: 1,
  actors: [
    { batch: ['a1'], mayCrash: true },
    { batch: ['l1', 'l2', 'l3'], mayCrash: false },
  ],
};

/** Two runs of one widget while the log is lost. They may start again more often. */
export const losingAndRestarting: World = {
  losses: 1,
  restarts: 2,
  actors: [
    { batch: ['a1', 'l1'], mayCrash: true },
    { batch: ['b1', 'l2'], mayCrash: false },
  ],
};

/** The log may be lost twice and trimmed twice. */
export const losingTwice: World = { ...losingAndTrimming, losses: 2, trims: 2 };
