import type { Actor, LogState, Position, State, World } from './publishing-state.ts';

/**
 * Returns a key that differs for different states. Run numbers count only by their order as long as no epoch carries
 * one. So states that differ only in run numbers have one key.
 */
export function makeKey(world: World, state: State): string {
  const mayLose = world.losses !== undefined;
  const runs = state.actors.map(({ run }) => run);
  const { highestRun, lowestRun } = state.log;
  const numbers = [...new Set([highestRun, lowestRun, ...runs])].sort((a, b) => a - b);
  const rank = (run: number) => (mayLose ? run : numbers.indexOf(run));
  const { version, outbox, applied, published, deadLetters, restartsLeft, isStoreRejecting, hoursLeft } = state;
  const widget = `${version}/${outbox}/${applied.toSorted()}/${rank(highestRun)}/${rank(lowestRun)}`;
  const others = `${published}/${deadLetters}/${restartsLeft}/${isStoreRejecting}/${hoursLeft}`;
  const actors = state.actors.map((actor) => `${rank(actor.run)}/${makeActorKey(actor)}`);
  const key = `${widget} ${others} ${makeLogKey(state.log)} ${actors.join(' ')}`;
  return mayLose ? `${key} ${makeLossKey(state)}` : key;
}

/** Caches keys per object: most parts of a state are the same objects as in the state before. */
function memoize<T extends object>(make: (value: T) => string): (value: T) => string {
  const known = new WeakMap<T, string>();
  return (value) => {
    const key = known.get(value) ?? make(value);
    known.set(value, key);
    return key;
  };
}

const makeActorKey = memoize((actor: Actor) => {
  const { step, run, version, read, pending, withoutWidget, unstorable, expected, appended } = actor;
  if (run === 0) return step;
  const positions = `${makePositionKey(expected)}/${makePositionKey(appended)}`;
  return `${step}/${version}/${read}/${pending}/${withoutWidget}/${unstorable}/${positions}`;
});

/** Without `highestRun` and `lowestRun`: `makeKey` adds their ranks. */
const makeLogKey = memoize((log: LogState) => {
  const { epoch, seq, ms, entries, trimmed, oldest, eventMarks, watermark, isWatermarkExpiring } = log;
  const gone = `${trimmed}/${oldest.seq}.${oldest.ms}`;
  return `${epoch}/${seq}/${ms}/${entries}/${gone}/${eventMarks}/${watermark}/${isWatermarkExpiring}`;
});

function makeLossKey({ firstPositions, lastPosition, copy, lossesLeft, trimsLeft, lastRun, appends }: State): string {
  const places = Object.entries(firstPositions).map(([event, at]) => `${event}:${makePositionKey(at)}`);
  const left = `${lossesLeft}/${trimsLeft}/${lastRun}/${appends}`;
  return `${places.sort()}/${makePositionKey(lastPosition)}/${copy && makeLogKey(copy)}/${left}`;
}

function makePositionKey(position: Position | null): string {
  return position === null ? '' : `${position.epoch}.${position.seq}.${position.ms}`;
}
