import type { Rule } from './publishing-rules.ts';
import { type Entry, isLoose, type LogState, type Position, type State } from './publishing-state.ts';

/** The event log of the model: what `append` does, how it may be lost, and what its loss is noticed by. */

/** A log that was wiped: nothing has begun an epoch yet. */
const noEpoch = -1;
const wiped: LogState = {
  epoch: noEpoch,
  seq: 0,
  ms: 0,
  entries: [],
  dropped: [],
  oldest: { seq: 0, ms: 0 },
  watermark: 0,
  isWatermarkSettled: false,
  guards: [],
};

/** True when the log must have held the position, and cannot have dropped it by trimming. */
export function hasLostTail(log: LogState, expected: Position | null): boolean {
  if (log.epoch === noEpoch) return true;
  if (expected === null) return false;
  if (expected.epoch !== log.epoch) return expected.epoch >= log.epoch;
  if (expected.seq === log.seq && expected.ms === log.ms) return false;
  if (expected.seq < log.oldest.seq && expected.ms <= log.oldest.ms) return false;
  return expected.seq > log.seq || expected.ms > log.ms || !holds(log, expected);
}

/** Whether the position is an event's, or the place right before the first one. */
export function holds(log: LogState, { epoch, seq, ms }: Position): boolean {
  if (seq === 0 && log.oldest.seq === 0) return epoch === log.epoch;
  if (epoch === log.epoch && seq === log.oldest.seq && ms === log.oldest.ms) return true;
  return log.entries.some(([, , ...position]) => position[0] === epoch && position[1] === seq && position[2] === ms);
}

/** Retention drops some of the oldest, but nothing that came after what was recorded last. */
export function* trims(state: State, broken: readonly Rule[]): Generator<State> {
  const { log, lastPosition, trimsLeft } = state;
  if (trimsLeft === 0) return;
  const stops = !broken.includes('trimming stops at what was recorded');
  const isKnown = lastPosition?.epoch === log.epoch && !hasLostTail(log, lastPosition);
  if (stops && !isKnown) return;
  for (const [at, [, , , seq, ms]] of log.entries.entries()) {
    if (stops && seq > (lastPosition?.seq ?? 0)) return;
    const dropped = [...log.dropped, ...log.entries.slice(0, at + 1).map(([event]) => event)];
    const trimmed = { ...log, dropped, oldest: { seq, ms }, entries: log.entries.slice(at + 1) };
    yield { ...state, log: trimmed, trimsLeft: trimsLeft - 1 };
  }
}

/** One atomic call: begins a new epoch where the tail is lost, then appends what is not there yet, in order. */
export function append(
  state: State,
  run: number,
  expected: Position | null,
  entries: readonly Entry[],
  broken: readonly Rule[],
): State {
  const isLost = hasLostTail(state.log, broken.includes('the log knows the last position') ? null : expected);
  const appends = state.appends + 1;
  let log = isLost ? begun(state.log, run, appends, broken) : state.log;
  let { told } = state;
  for (const [event, version] of entries) {
    if (isThere(log, event, version, broken)) continue;
    const position = { epoch: log.epoch, seq: log.seq + 1, ms: appends };
    log = { ...raised(log, event, version, broken), ...position };
    log = { ...log, entries: [...log.entries, [event, version, position.epoch, position.seq, position.ms]] };
    told = { ...told, [event]: told[event] ?? position };
  }
  return { ...state, log, told, appends: log === state.log ? state.appends : appends };
}

function begun(log: LogState, run: number, ms: number, broken: readonly Rule[]): LogState {
  const entries = broken.includes('a new epoch empties the log') ? log.entries : [];
  return { ...log, epoch: run, seq: 0, ms, entries, dropped: [], oldest: { seq: 0, ms } };
}

function isThere(log: LogState, event: string, version: number, broken: readonly Rule[]): boolean {
  if (isLoose(event)) {
    if (broken.includes('a loose hook has a guard')) return false;
    return log.guards.some(([guarded]) => guarded === event);
  }
  if (broken.includes('a widget has a watermark')) return false;
  return version <= log.watermark;
}

function raised(log: LogState, event: string, version: number, broken: readonly Rule[]): LogState {
  if (isLoose(event)) {
    const others = log.guards.filter(([guarded]) => guarded !== event);
    return { ...log, guards: [...others, [event, false] as const].sort() };
  }
  const isWatermarkSettled = broken.includes('a raised watermark stays') ? log.isWatermarkSettled : false;
  return { ...log, watermark: version, isWatermarkSettled };
}

/** Lets guards expire: of loose hooks, and the watermark if it stands at `version` (null: no word of it). */
export function settle(
  log: LogState,
  loose: readonly string[],
  version: number | null,
  broken: readonly Rule[],
): LogState {
  const isHighest = version === log.watermark || broken.includes('a watermark is settled at its height');
  return {
    ...log,
    isWatermarkSettled: log.isWatermarkSettled || (version !== null && isHighest),
    guards: log.guards.map(([event, isSettled]) => [event, isSettled || loose.includes(event)]),
  };
}

/** The hour after which settled guards are gone. Null where there is none. */
export function withoutExpired(log: LogState, broken: readonly Rule[]): LogState | null {
  const isGone =
    log.watermark > 0 && (log.isWatermarkSettled || broken.includes('a watermark stays until it is settled'));
  const guards = log.guards.filter(
    ([, isSettled]) => !(isSettled || broken.includes('a guard stays until it is settled')),
  );
  if (!isGone && guards.length === log.guards.length) return null;
  return { ...log, guards, ...(isGone ? { watermark: 0, isWatermarkSettled: false } : {}) };
}

/** A copy may be taken at any moment, and come back later; or the log is simply gone. */
export function* losses(state: State): Generator<State> {
  if (state.lossesLeft === 0) return;
  const lossesLeft = state.lossesLeft - 1;
  if (state.copy === null) {
    yield { ...state, copy: state.log };
    yield { ...state, log: wiped, lossesLeft };
  } else {
    yield { ...state, log: state.copy, copy: null, lossesLeft };
  }
}
