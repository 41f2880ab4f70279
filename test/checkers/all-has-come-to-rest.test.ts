import { allHasComeToRest } from './all-has-come-to-rest.ts';
import { checks } from './spoil.ts';

checks(allHasComeToRest, [
  [
    'jobs that are left',
    /7 jobs/,
    ({ stored }) => {
      stored.jobsLeft = 7;
    },
  ],
  [
    'outboxes that are left',
    /7 outboxes/,
    ({ stored }) => {
      stored.outboxesLeft = 7;
    },
  ],
  [
    'texts that were set aside',
    /set aside/,
    ({ stored }) => {
      stored.quarantined = 1;
    },
  ],
  [
    'a pod that counts streams nobody has',
    /count 3/,
    ({ processes }) => {
      processes[0]!.streamsOpen = 3;
    },
  ],
  [
    'a stream that has not come back',
    /have not come back/,
    (evidence) => {
      evidence.clientsOpen = 1;
    },
  ],
  [
    'a process that is not ready',
    /not ready/,
    ({ processes }) => {
      processes[1]!.problems = 'tail: behind';
    },
  ],
  [
    'a heap that grows',
    /heap of pod-0/,
    ({ processes }) => {
      processes[0]!.heapUsedBytes = 40_000_000;
    },
  ],
]);
