import type { Rule } from './publishing-rules.ts';
import { type Entry, emptyLog, isWithoutWidget, type LogState, type Position, type State } from './publishing-state.ts';

/** The event log of the model: `append`, expiring marks, trimming, and losses. */

/** The epoch of a wiped log. */
const noEpoch = -1;
const wiped: LogState = { ...emptyLog, epoch: noEpoch };

/** Returns whether the log has lost its tail: it must have held `expected`, and cannot have trimmed it. */
export function hasLostTail(log: LogState, expected: Position | null): boolean {
  if (log.epoch === noEpoch) return true;
  if (expected === null) return false;
  if (expected.epoch !== log.epoch) return expected.epoch >= log.epoch;
  if (expected.seq === log.seq && expected.ms === log.ms) return false;
  if (expected.seq < log.oldest.seq && expected.ms <= log.oldest.ms) return false;
  return expected.seq > log.seq || expected.ms > log.ms || !holds(log, expected);
}

/** Returns whether the position is the one of an event, or the one immediately before the oldest event. */
export function holds(log: LogState, { epoch, seq, ms }: Position): boolean {
  if (seq === 0 && log.oldest.seq === 0) return epoch === log.epoch;
  if (epoch === log.epoch && seq === log.oldest.seq && ms === log.oldest.ms) return true;
  return log.entries.some(([, , ...position]) => position[0] === epoch && position[1] === seq && position[2] === ms);
}

/** Retention drops some of the oldest events, but nothing after the last recorded position. */
export function* listTrims(state: State, without: readonly Rule[]): Generator<State> {
  const { log, lastPosition, trimsLeft } = state;
  if (trimsLeft === 0) return;
  const mustStop = !without.includes('trimming stops at the last recorded position');
  const isKnown = lastPosition?.epoch === log.epoch && !hasLostTail(log, lastPosition);
  if (mustStop && !isKnown) return;
  for (const [at, [, , , seq, ms]] of log.entries.entries()) {
    if (mustStop && seq > (lastPosition?.seq ?? 0)) return;
    const trimmed = [...log.trimmed, ...log.entries.slice(0, at + 1).map(([event]) => event)];
    const remaining = { ...log, trimmed, oldest: { seq, ms }, entries: log.entries.slice(at + 1) };
    yield { ...state, log: remaining, trimsLeft: trimsLeft - 1 };
  }
}

/**
 * One atomic call. Starts a new epoch if the log has lost its tail. Then appends in order what the log does not have
 * yet.
 */
export function append(
  state: State,
  run: number,
  expected: Position | null,
  entries: readonly Entry[],
  without: readonly Rule[],
): State {
  const isLost = hasLostTail(
    state.log,
    without.includes('an append checks the last recorded position') ? null : expected,
  );
  const appends = state.appends + 1;
  let log = isLost ? startEpoch(state.log, run, appends, without) : state.log;
  if (run > log.highestRun) log = { ...log, highestRun: run };
  let { firstPositions } = state;
  for (const [event, version] of entries) {
    if (isInLog(log, event, version, without)) continue;
    const position = { epoch: log.epoch, seq: log.seq + 1, ms: appends };
    log = { ...raiseMark(log, event, version, without), ...position };
    log = { ...log, entries: [...log.entries, [event, version, position.epoch, position.seq, position.ms]] };
    firstPositions = { ...firstPositions, [event]: firstPositions[event] ?? position };
  }
  return { ...state, log, firstPositions, appends: log === state.log ? state.appends : appends };
}

function startEpoch(log: LogState, run: number, ms: number, without: readonly Rule[]): LogState {
  const entries = without.includes('a new epoch starts with an empty log') ? log.entries : [];
  return { ...log, epoch: run, seq: 0, ms, entries, trimmed: [], oldest: { seq: 0, ms } };
}

function isInLog(log: LogState, event: string, version: number, without: readonly Rule[]): boolean {
  if (isWithoutWidget(event)) {
    if (without.includes('a dedupe mark skips events without a widget that are in the log')) return false;
    return log.eventMarks.some(([markedEvent]) => markedEvent === event);
  }
  if (without.includes('a watermark skips versions that are in the log')) return false;
  return version <= log.watermark;
}

function raiseMark(log: LogState, event: string, version: number, without: readonly Rule[]): LogState {
  if (isWithoutWidget(event)) {
    const others = log.eventMarks.filter(([markedEvent]) => markedEvent !== event);
    return { ...log, eventMarks: [...others, [event, false] as const].sort() };
  }
  const isWatermarkExpiring = without.includes('an append that raises a watermark removes its expiry')
    ? log.isWatermarkExpiring
    : false;
  return { ...log, watermark: version, isWatermarkExpiring };
}

/**
 * Lets marks expire under the number `run`: those of events without a widget, and the watermark if it is at `version`.
 * Null: not the watermark.
 */
export function expireMarks(
  log: LogState,
  run: number,
  withoutWidget: readonly string[],
  version: number | null,
  without: readonly Rule[],
): LogState {
  const isHighest =
    version === log.watermark || without.includes('a watermark expires only at the version that the run published');
  return {
    ...log,
    isWatermarkExpiring: log.isWatermarkExpiring || (version !== null && isHighest),
    eventMarks: log.eventMarks.map(([event, isExpiring]) => [event, isExpiring || withoutWidget.includes(event)]),
    highestRun: Math.max(log.highestRun, run),
  };
}

/**
 * The log after the hour in which expiring marks disappear. It rejects the runs below the highest one of before. Null
 * if no mark expires.
 */
export function passHour(log: LogState, without: readonly Rule[]): LogState | null {
  const isGone =
    log.watermark > 0 && (log.isWatermarkExpiring || without.includes('a watermark stays until a run lets it expire'));
  const eventMarks = log.eventMarks.filter(
    ([, isExpiring]) => !(isExpiring || without.includes('an event mark stays until a run lets it expire')),
  );
  if (!isGone && eventMarks.length === log.eventMarks.length) return null;
  const lowestRun = without.includes('the log rejects runs below the number that marks expired under')
    ? 0
    : log.highestRun;
  return { ...log, eventMarks, lowestRun, ...(isGone ? { watermark: 0, isWatermarkExpiring: false } : {}) };
}

/** A copy of the log may be taken at any moment and restored later. Or the log is wiped. */
export function* listLosses(state: State): Generator<State> {
  if (state.lossesLeft === 0) return;
  const lossesLeft = state.lossesLeft - 1;
  if (state.copy === null) {
    yield { ...state, copy: state.log };
    yield { ...state, log: wiped, lossesLeft };
  } else {
    yield { ...state, log: state.copy, copy: null, lossesLeft };
  }
}
