import { hasLostTail } from './event-log-model.ts';
import { isWithoutWidget, type State, type World } from './publishing-state.ts';

/** Returns a description of the first invariant that the state violates, or null. */
export function findViolation(world: World, state: State): string | null {
  const { applied, log } = state;
  if (new Set(applied).size !== applied.length) return `an effect took place twice: ${applied}`;
  return findOrderViolation(world, log.entries) ?? findLostEvent(state) ?? findLostHook(world, state);
}

function findOrderViolation(world: World, entries: State['log']['entries']): string | null {
  const text = () => JSON.stringify(entries);
  if (new Set(entries.map(([event]) => event)).size !== entries.length) return `an event was appended twice: ${text()}`;
  if (entries.some(([, , epoch]) => epoch !== entries[0]?.[2])) return `the log holds two epochs: ${text()}`;
  const ofWidget = entries.filter(([event]) => !isWithoutWidget(event));
  const isRising = ofWidget.every(([, version], at) => version > (ofWidget[at - 1]?.[1] ?? 0));
  if (!isRising) return `out of order in the log: ${text()}`;
  const isDense = ofWidget.every(([, version], at) => version === at + 1);
  if (!isDense && !world.losses) return `a version is missing in the log: ${text()}`;
  return null;
}

/**
 * Every event that took effect or is marked published is in the log, was trimmed, or is announced as missed. One that
 * is not marked yet may be in the outbox instead.
 */
function findLostEvent(state: State): string | null {
  const { log, outbox, published, applied, lastPosition } = state;
  for (const event of [...published, ...applied]) {
    if (log.entries.some(([appended]) => appended === event) || log.trimmed.includes(event)) continue;
    if (!published.includes(event) && outbox.some(([waiting]) => waiting === event)) continue;
    const at = state.firstPositions[event];
    if (at === undefined) return `${event} is marked published, or is no longer in the outbox, but was never appended`;
    // The event is lost with an old epoch, or the next append will notice the loss.
    const isAnnounced = at.epoch !== log.epoch || hasLostTail(log, lastPosition);
    if (!isAnnounced) return `${event} is gone from the log, and nothing announces it`;
  }
  return null;
}

/**
 * A run that is done leaves none of its hooks behind: each took effect, is published, is a dead letter, or is in a
 * redrive that has started and is not done. At the end, no hook both took effect and is a dead letter.
 */
function findLostHook(world: World, state: State): string | null {
  const { applied, published, deadLetters, actors, outbox } = state;
  const redriven = world.actors.flatMap(({ batch, isRedrive }, at) =>
    isRedrive && actors[at]?.step !== 'start' && actors[at]?.step !== 'done' ? batch : [],
  );
  const known = [...applied, ...published, ...deadLetters, ...redriven];
  for (const [index, { batch }] of world.actors.entries()) {
    if (actors[index]?.step !== 'done') continue;
    const lost = batch.filter((event) => !known.includes(event));
    if (lost.length > 0) return `a hook is lost: ${lost}`;
  }
  const isFinished = outbox.length === 0 && actors.every(({ step }) => step === 'done' || step === 'crashed');
  const both = deadLetters.filter((event) => applied.includes(event));
  return isFinished && both.length > 0 ? `took effect and is a dead letter: ${both}` : null;
}
