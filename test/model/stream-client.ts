import {
  type Client,
  comesAfter,
  continues,
  gone,
  isSame,
  type Place,
  pageSize,
  placeOf,
  type Rule,
  reaches,
  readAfter,
  type State,
  startAt,
  type Told,
} from './stream-world.ts';

/** What the client and the pod's side of its connection may do next. */
export function* clientSteps(state: State, broken: readonly Rule[]): Generator<State> {
  const { client, tail, log } = state;
  const go = (change: Partial<Client>) => ({ ...state, client: { ...client, ...change } });
  if (client.step !== 'away') yield { ...state, client: gone(client) };
  switch (client.step) {
    case 'away':
      if (state.opensLeft > 0 && tail.position !== null) yield* asked(state, tail.position, broken);
      return;
    case 'asking': {
      if (client.told === null) return;
      // A log that is gone cannot say where to begin: the stream ends at once, and the client comes again.
      yield log.epoch === null
        ? { ...state, client: gone(client) }
        : go({ step: 'answered', ...startAt(log, client.told) });
      return;
    }
    case 'answered':
      yield joined(state, broken);
      return;
    case 'live':
      yield* pumped(state, broken);
      return;
    case 'replaying': {
      if (client.start === null) return;
      yield go({ step: 'paging', page: readAfter(log, client.start).slice(0, pageSize) });
      return;
    }
    default:
      yield paged(state, broken);
  }
}

/** What the pod has in memory needs no asking. */
function* asked(state: State, end: Place, broken: readonly Rule[]): Generator<State> {
  const opensLeft = state.opensLeft - 1;
  const { told } = state.client;
  const answer = (start: Place) => ({
    ...state,
    opensLeft,
    client: { ...state.client, step: 'answered' as const, start, isGap: false },
  });
  const isKnown = isSame(told, end) || state.tail.ring.some((event) => isSame(event, told));
  if (told === null) yield answer(end);
  else if (isKnown || broken.includes('a position is checked')) yield answer(told);
  else yield { ...state, opensLeft, client: { ...state.client, step: 'asking' } };
}

function joined(state: State, broken: readonly Rule[]): State {
  const { client, tail } = state;
  const { start, isGap } = client;
  if (start === null) return state;
  const opened = isGap || client.told === null ? { ...client, told: start } : client;
  const isOfThisLog = start.epoch === tail.position?.epoch;
  if (!isOfThisLog && !broken.includes('a stream of another epoch does not join')) {
    return { ...state, client: gone(opened) };
  }
  return { ...state, client: { ...opened, step: reaches(tail, start) ? 'live' : 'replaying' } };
}

function* pumped(state: State, broken: readonly Rule[]): Generator<State> {
  const { client, tail } = state;
  const { start } = client;
  if (start === null || tail.position === null) return;
  if (start.seq >= tail.position.seq) {
    const isElsewhere = start.seq === tail.position.seq && start.ms !== tail.position.ms;
    if (isElsewhere && !broken.includes('an event tells what it came after')) yield { ...state, client: gone(client) };
    return;
  }
  const next = tail.ring.find((event) => event.seq === start.seq + 1);
  if (next === undefined) yield { ...state, client: { ...client, step: 'replaying' } };
  else if (!comesAfter(next, start, broken)) yield { ...state, client: gone(client) };
  else yield told(state, next);
}

function paged(state: State, broken: readonly Rule[]): State {
  const { client, tail } = state;
  const { start, page } = client;
  const [next, ...rest] = page;
  if (start === null) return state;
  if (next === undefined) return { ...state, client: gone(client) };
  if (!continues(start, page, broken) && !broken.includes('a page checks numbers and epoch')) {
    return { ...state, client: gone(client) };
  }
  const sent = told(state, next);
  const step = rest.length > 0 ? 'paging' : reaches(tail, next) ? 'live' : 'replaying';
  return { ...sent, client: { ...sent.client, step, page: rest } };
}

/** The one look at what a subscriber sees: each event must be the one that came right after what it was told last. */
function told(state: State, event: Told): State {
  const { client } = state;
  const last = client.told;
  const isNext = last?.epoch === event.epoch && last.seq + 1 === event.seq && last.ms === event.afterMs;
  const broken = isNext ? null : `after ${JSON.stringify(last)} it was told ${JSON.stringify(event)}, without a gap`;
  const place = placeOf(event);
  return { ...state, broken, client: { ...client, told: place, start: place } };
}
