import type { Failpoint } from './failpoint.ts';

/** The port calls of one run of a batch, in their order. */
const stepsOfARun = [
  'runs.startRun',
  'effects.claim',
  'ledger.register',
  'effects.apply',
  'runs.lastPosition',
  'eventLog.append',
  'runs.recordPosition',
  'ledger.markPublished',
  'outboxes.removePublished',
  'eventLog.expireMarks',
] as const;

/** What answers late or never while it has taken place: the writes that others see. */
const seenByOthers: readonly string[] = [
  'effects.apply',
  'eventLog.append',
  'ledger.markPublished',
  'outboxes.removePublished',
];

/** Before these nothing is different from before the step that comes next, or from before the run. */
const leaveNothing: readonly string[] = ['runs.startRun', 'runs.lastPosition'];

/**
 * Every place in a run where it matters that it stops; after a step is before the next. The short form leaves out
 * places that differ in nothing that is stored.
 */
export function everyPlaceInARun(act: Failpoint['act'], isLong: boolean): Failpoint[] {
  const begun = stepsOfARun.filter((call) => isLong || !leaveNothing.includes(call));
  const before = begun.map((call) => ({ call, when: 'before', act }) as const);
  const interrupted = stepsOfARun.filter((call) => isLong || seenByOthers.includes(call));
  const during = interrupted.map((call) => ({ call, when: 'during', act }) as const);
  return [...before, { call: 'eventLog.expireMarks', when: 'after', act }, ...during];
}

/** Between effect and publish, publish and mark, mark and pull, and amid what others see: the places that matter most. */
export function somePlacesInARun(act: Failpoint['act']): Failpoint[] {
  const before = ['eventLog.append', 'ledger.markPublished', 'outboxes.removePublished'].map(
    (call) => ({ call, when: 'before', act }) as const,
  );
  return [...before, { call: 'effects.apply', when: 'during', act }, { call: 'eventLog.append', when: 'during', act }];
}
