import { testChecker } from './test-checker.ts';
import { widgetsAreTheFold } from './widgets-are-the-fold.ts';

testChecker(widgetsAreTheFold, [
  [
    'an effect too many',
    /not the fold/,
    ({ stored }) => {
      stored.widgets[0]!.version = 4;
    },
  ],
  [
    'an effect too few',
    /not the fold/,
    ({ stored }) => {
      stored.widgets[1]!.version = 1;
    },
  ],
  [
    'a retired widget that is active again',
    /not the fold/,
    ({ stored }) => {
      stored.widgets[0]!.state = 'active';
    },
  ],
  [
    'a time that is not the latest',
    /not the fold/,
    ({ stored }) => {
      stored.widgets[1]!.lastEventAt = '2026-01-01T00:00:01.000Z';
    },
  ],
]);
