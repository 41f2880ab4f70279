import { hasLostTail } from './published-log.ts';
import { isLoose, type State, type World } from './publishing-state.ts';

/** What must hold in every state; returns the first promise that is broken, in words. */
export function violationIn(world: World, state: State): string | null {
  const { applied, log } = state;
  if (new Set(applied).size !== applied.length) return `an effect took place twice: ${applied}`;
  return brokenOrder(world, log.entries) ?? lostEvent(state) ?? lostHook(world, state);
}

function brokenOrder(world: World, entries: State['log']['entries']): string | null {
  const text = () => JSON.stringify(entries);
  if (new Set(entries.map(([event]) => event)).size !== entries.length) return `an event was told twice: ${text()}`;
  if (entries.some(([, , epoch]) => epoch !== entries[0]?.[2])) return `the log holds two epochs: ${text()}`;
  const ofWidget = entries.filter(([event]) => !isLoose(event));
  const isRising = ofWidget.every(([, version], at) => version > (ofWidget[at - 1]?.[1] ?? 0));
  if (!isRising) return `out of order in the log: ${text()}`;
  const isDense = ofWidget.every(([, version], at) => version === at + 1);
  if (!isDense && !world.losses) return `a hole in the log: ${text()}`;
  return null;
}

/**
 * Whatever took effect is in the outbox, or in the log, or was until retention dropped it, or subscribers are told that
 * they missed something.
 */
function lostEvent(state: State): string | null {
  const { log, outbox, published, applied, lastPosition } = state;
  for (const event of [...published, ...applied]) {
    if (log.entries.some(([told]) => told === event) || log.dropped.includes(event)) continue;
    if (!published.includes(event) && outbox.some(([waiting]) => waiting === event)) continue;
    const at = state.told[event];
    if (at === undefined) return `${event} counts as published, and was never told`;
    // Gone with an epoch, or about to go with it: the next append will notice.
    const isAnnounced = at.epoch !== log.epoch || hasLostTail(log, lastPosition);
    if (!isAnnounced) return `${event} is gone from the log, and nobody notices`;
  }
  return null;
}

/** Whoever is done has seen to it that its hooks took effect, or are given up, or were taken over by a redrive. */
function lostHook(world: World, state: State): string | null {
  const { applied, published, deadLetters, actors, outbox } = state;
  const redriven = world.actors.flatMap(({ batch, redrive }, at) =>
    redrive && actors[at]?.step !== 'start' && actors[at]?.step !== 'done' ? batch : [],
  );
  const known = [...applied, ...published, ...deadLetters, ...redriven];
  for (const [index, { batch }] of world.actors.entries()) {
    if (actors[index]?.step !== 'done') continue;
    const lost = batch.filter((event) => !known.includes(event));
    if (lost.length > 0) return `a hook is lost: ${lost}`;
  }
  const isOver = outbox.length === 0 && actors.every(({ step }) => step === 'done' || step === 'dead');
  const both = deadLetters.filter((event) => applied.includes(event));
  return isOver && both.length > 0 ? `took effect and is a dead letter: ${both}` : null;
}
