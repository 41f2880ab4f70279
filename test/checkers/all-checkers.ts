import { allHasComeToRest } from './all-has-come-to-rest.ts';
import { eachHookOnce } from './each-hook-once.ts';
import { everyEventOnEveryStream } from './every-event-on-every-stream.ts';
import type { Checker } from './evidence.ts';
import { noSecretIsTold } from './no-secret-is-told.ts';
import { noSilentHole } from './no-silent-hole.ts';
import { nothingOutsideTheRight } from './nothing-outside-the-right.ts';
import { oneKeyOneWidget } from './one-key-one-widget.ts';
import { refusalsAreProblems } from './refusals-are-problems.ts';
import { versionsRise } from './versions-rise.ts';
import { widgetsAreTheFold } from './widgets-are-the-fold.ts';

/** The promise, invariant by invariant. */
export const allCheckers = {
  C1: eachHookOnce,
  C2: everyEventOnEveryStream,
  C3: versionsRise,
  C4: oneKeyOneWidget,
  C5: noSilentHole,
  C6: nothingOutsideTheRight,
  C7: refusalsAreProblems,
  C8: noSecretIsTold,
  C9: allHasComeToRest,
  C10: widgetsAreTheFold,
} as const satisfies Readonly<Record<string, Checker>>;

export type CheckerName = keyof typeof allCheckers;
