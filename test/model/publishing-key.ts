import type { Actor, LogState, Position, State, World } from './publishing-state.ts';

/**
 * Tells states apart. Of the runs' numbers only the order counts while none of them names an epoch, so states that
 * differ in nothing else are one.
 */
export function keyOf(world: World, state: State): string {
  const mayLose = world.losses !== undefined;
  const runs = state.actors.map(({ run }) => run);
  const numbers = [...new Set([state.fence, ...runs])].sort((a, b) => a - b);
  const rank = (run: number) => (mayLose ? run : numbers.indexOf(run));
  const { version, outbox, applied, published, deadLetters, refusalsLeft, isRefusing, hoursLeft } = state;
  const widget = `${version}/${rank(state.fence)}/${outbox}/${applied.toSorted()}`;
  const others = `${published}/${deadLetters}/${refusalsLeft}/${isRefusing}/${hoursLeft}`;
  const actors = state.actors.map((actor) => `${rank(actor.run)}/${keyOfActor(actor)}`);
  const key = `${widget} ${others} ${keyOfLog(state.log)} ${actors.join(' ')}`;
  return mayLose ? `${key} ${keyOfLosses(state)}` : key;
}

/** Most of a state is what it was in the one before, the same objects. */
function remembered<T extends object>(make: (value: T) => string): (value: T) => string {
  const known = new WeakMap<T, string>();
  return (value) => {
    const key = known.get(value) ?? make(value);
    known.set(value, key);
    return key;
  };
}

const keyOfActor = remembered((actor: Actor) => {
  const { step, run, version, read, todo, loose, rejected, expected, appended, isOld } = actor;
  if (run === 0) return step;
  const positions = `${keyOfPosition(expected)}/${keyOfPosition(appended)}`;
  return `${step}/${version}/${read}/${todo}/${loose}/${rejected}/${positions}/${isOld}`;
});

const keyOfLog = remembered(({ epoch, seq, ms, entries, dropped, oldest, guards, ...watermark }: LogState) => {
  const gone = `${dropped}/${oldest.seq}.${oldest.ms}`;
  return `${epoch}/${seq}/${ms}/${entries}/${gone}/${guards}/${Object.values(watermark)}`;
});

function keyOfLosses({ told, lastPosition, copy, lossesLeft, trimsLeft, counter, appends }: State): string {
  const places = Object.entries(told).map(([event, at]) => `${event}:${keyOfPosition(at)}`);
  const left = `${lossesLeft}/${trimsLeft}/${counter}/${appends}`;
  return `${places.sort()}/${keyOfPosition(lastPosition)}/${copy && keyOfLog(copy)}/${left}`;
}

function keyOfPosition(position: Position | null): string {
  return position === null ? '' : `${position.epoch}.${position.seq}.${position.ms}`;
}
