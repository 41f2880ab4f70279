import { everythingIsIdle } from './everything-is-idle.ts';
import { testChecker } from './test-checker.ts';

testChecker(everythingIsIdle, [
  [
    'jobs left in the queue',
    /7 jobs/,
    ({ stored }) => {
      stored.jobsLeft = 7;
    },
  ],
  [
    'outboxes that are not empty',
    /7 outboxes/,
    ({ stored }) => {
      stored.outboxesLeft = 7;
    },
  ],
  [
    'texts in quarantine',
    /in quarantine/,
    ({ stored }) => {
      stored.quarantined = 1;
    },
  ],
  [
    'a pod that counts streams without a client',
    /count 3/,
    ({ processes }) => {
      processes[0]!.streamsOpen = 3;
    },
  ],
  [
    'a stream that has not reconnected',
    /have not reconnected/,
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
