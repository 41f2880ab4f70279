import { eachHookOnce } from './each-hook-once.ts';
import { everyChangeIsAudited } from './every-change-is-audited.ts';
import { everyEventOnEveryStream } from './every-event-on-every-stream.ts';
import { everythingIsIdle } from './everything-is-idle.ts';
import type { Checker } from './evidence.ts';
import { noSecretLeaks } from './no-secret-leaks.ts';
import { noSilentHole } from './no-silent-hole.ts';
import { nothingOutsideTheEntitlement } from './nothing-outside-the-entitlement.ts';
import { oneKeyOneWidget } from './one-key-one-widget.ts';
import { refusalsAreProblems } from './refusals-are-problems.ts';
import { versionsRise } from './versions-rise.ts';
import { widgetsAreTheFold } from './widgets-are-the-fold.ts';

/** The promise of docs/reliability.md, one checker per row. */
export const allCheckers = {
  C1: eachHookOnce,
  C2: everyEventOnEveryStream,
  C3: versionsRise,
  C4: oneKeyOneWidget,
  C5: noSilentHole,
  C6: nothingOutsideTheEntitlement,
  C7: refusalsAreProblems,
  C8: noSecretLeaks,
  C9: everythingIsIdle,
  C10: widgetsAreTheFold,
  C11: everyChangeIsAudited,
} as const satisfies Readonly<Record<string, Checker>>;

export type CheckerName = keyof typeof allCheckers;
