import { type Exploration, exploreEvery } from './explore.ts';
import { clientSteps } from './stream-client.ts';
import {
  begunAnew,
  continues,
  ended,
  gone,
  isSame,
  type Log,
  type Place,
  pageSize,
  placeOf,
  type Rule,
  readAfter,
  type State,
  startAt,
  type Tail,
  type Told,
} from './stream-world.ts';

/**
 * A model of the way from the event log to one subscriber (docs/data-path.md): a pod's tail, its ring, and a client that
 * connects, is told events, goes away and resumes, while the log grows, is trimmed, loses its tail or begins anew. What
 * a pod asks the log and what it does with the answer are two steps, and anything may happen in between.
 */

export interface Bounds {
  readonly appends: number;
  readonly trims: number;
  readonly losses: number;
  readonly opens: number;
}

const ringSize = 2;

export function explore(bounds: Bounds, broken: readonly Rule[]): Exploration {
  const nowhere = { epoch: 0, seq: 0, ms: 0 };
  return exploreEvery<State>({
    start: {
      log: { epoch: 0, last: nowhere, events: [], isLossKnown: false },
      tail: { step: 'begin', position: null, ring: [], found: null, read: [], isLost: false, beyond: null },
      client: gone({ told: null }),
      clock: 0,
      epochs: 0,
      appendsLeft: bounds.appends,
      trimsLeft: bounds.trims,
      lossesLeft: bounds.losses,
      opensLeft: bounds.opens,
      isWhole: bounds.trims + bounds.losses === 0,
      broken: null,
    },
    keyOf: (state) => JSON.stringify(state, null),
    *successors(state) {
      yield* happenings(state, broken);
      yield* tailSteps(state, broken);
      yield* clientSteps(state, broken);
    },
    violationIn: (state) => state.broken ?? waitsForEver(state, broken),
  });
}

/**
 * What befalls the log. Of what it loses a position may have been recorded elsewhere, and then the next append begins a
 * new epoch; or none was, and numbers are given twice in one epoch.
 */
function* happenings(state: State, broken: readonly Rule[]): Generator<State> {
  const { log } = state;
  if (state.appendsLeft > 0) yield appended(state, broken);
  if (mayTrim(state)) {
    yield { ...state, log: { ...log, events: log.events.slice(1) }, trimsLeft: state.trimsLeft - 1 };
  }
  if (state.lossesLeft === 0 || log.epoch === null) return;
  const lossesLeft = state.lossesLeft - 1;
  yield { ...state, log: { ...log, epoch: null, events: [], isLossKnown: true }, lossesLeft };
  for (let kept = 0; kept < log.events.length; kept += 1) {
    const [first] = log.events;
    const events = log.events.slice(0, kept);
    const before = first === undefined ? log.last : { epoch: first.epoch, seq: first.seq - 1, ms: first.afterMs };
    const last = placeOf(events.at(-1) ?? before);
    for (const isLossKnown of [true, false]) yield { ...state, log: { ...log, events, last, isLossKnown }, lossesLeft };
  }
}

function mayTrim({ trimsLeft, log }: State): boolean {
  return trimsLeft > 0 && log.events.length > 0;
}

function appended(state: State, broken: readonly Rule[]): State {
  const begins = state.log.epoch === null || state.log.isLossKnown;
  const { log, clock, epochs } = begins ? begin(state, broken) : state;
  const ms = clock + 1;
  const event: Told = { epoch: log.last.epoch, seq: log.last.seq + 1, ms, afterMs: log.last.ms };
  const grown: Log = { ...log, last: placeOf(event), events: [...log.events, event], isLossKnown: false };
  return { ...state, log: grown, clock: ms, epochs, appendsLeft: state.appendsLeft - 1 };
}

function begin(state: State, broken: readonly Rule[]): State {
  const epochs = state.epochs + 1;
  const word = broken.includes('a new epoch has another word') ? 0 : epochs;
  const clock = state.clock + 1;
  return { ...state, log: { ...begunAnew(state.log, word, clock), isLossKnown: false }, clock, epochs };
}

function* tailSteps(state: State, broken: readonly Rule[]): Generator<State> {
  const { tail } = state;
  const { position } = tail;
  const go = (change: Partial<Tail>, to: Partial<State> = {}) => ({ ...state, ...to, tail: { ...tail, ...change } });
  switch (tail.step) {
    case 'begin': {
      const known = state.log.epoch === null ? begin(state, broken) : state;
      yield { ...known, tail: { ...tail, step: 'reach', found: known.log.last } };
      return;
    }
    case 'reach': {
      const reached = go({ step: 'read', position: tail.found, ring: [], found: null });
      yield broken.includes('a resync ends the streams') ? reached : { ...reached, client: ended(state.client) };
      return;
    }
    case 'read':
      yield reading(state, broken);
      return;
    case 'take':
      yield taken(state, broken);
      return;
    case 'verify': {
      if (position === null) return;
      const isLost = state.log.epoch === null || startAt(state.log, position).isGap;
      yield go({
        step: 'judge',
        isLost: isLost && !broken.includes('an empty read is verified'),
        beyond: broken.includes('a stream beyond the end is ended') ? null : beyondEnd(state),
      });
      return;
    }
    default: {
      const client =
        tail.beyond !== null && isSame(state.client.start, tail.beyond) ? ended(state.client) : state.client;
      yield go({ step: tail.isLost ? 'begin' : 'read', isLost: false, beyond: null }, { client });
    }
  }
}

/** Where the client's stream stands, if the log does not reach as far. */
function beyondEnd({ log, client }: State): Place | null {
  return client.step === 'live' && client.start !== null && client.start.seq > log.last.seq ? client.start : null;
}

/** Told to read only what is new, Redis answers with what is appended after the call: that takes two steps. */
function reading(state: State, broken: readonly Rule[]): State {
  const { tail, log } = state;
  const isOnlyNew = broken.includes('the tail reads from where it stands');
  if (isOnlyNew && tail.found === null) return { ...state, tail: { ...tail, found: log.last } };
  const from = isOnlyNew ? tail.found : tail.position;
  const read = from === null ? [] : readAfter(log, from).slice(0, pageSize);
  return { ...state, tail: { ...tail, step: read.length === 0 ? 'verify' : 'take', read, found: null } };
}

function taken(state: State, broken: readonly Rule[]): State {
  const { tail } = state;
  const { position, read } = tail;
  const last = read.at(-1);
  if (position === null || last === undefined) return state;
  if (!continues(position, read, broken) && !broken.includes('the tail checks numbers and epoch')) {
    const isNeedless = state.isWhole ? 'every stream is ended, though the log has lost nothing' : null;
    return { ...state, broken: isNeedless, tail: { ...tail, step: 'begin', read: [] } };
  }
  const ring = [...tail.ring, ...read].slice(-ringSize);
  return { ...state, tail: { ...tail, step: 'read', position: placeOf(last), ring, read: [] } };
}

/** Once nothing befalls the log any more, whoever is connected or comes again hears of everything. */
function waitsForEver(state: State, broken: readonly Rule[]): string | null {
  // Of a loss that was not noticed yet the next append will tell.
  const isQuiet = state.appendsLeft + state.lossesLeft === 0 && !mayTrim(state) && !state.log.isLossKnown;
  const { client, tail } = state;
  const mayCome = client.step === 'live' || (client.step === 'away' && client.told !== null);
  if (!isQuiet || !mayCome || tail.step !== 'read') return null;
  let later: State = { ...state, opensLeft: 3 };
  for (let turn = 0; turn < 30; turn += 1) {
    later = [...tailSteps(later, broken)].at(-1) ?? later;
    // Whoever is there stays: the first thing a client may do is to leave.
    const next = [...clientSteps(later, broken)].slice(later.client.step === 'away' ? 0 : 1);
    later = next.at(-1) ?? later;
  }
  const isUpToDate = later.client.step === 'live' && isSame(later.client.told, later.log.last);
  return isUpToDate ? null : 'a client never hears of what the log has';
}
