import { append, holds, settle } from './published-log.ts';
import type { Rule } from './publishing-rules.ts';
import {
  type Actor,
  type ActorPlan,
  type Entry,
  idle,
  isLoose,
  isRefusable,
  type Position,
  type State,
  type World,
  withActor,
} from './publishing-state.ts';

/** What one actor may do next. */
export class Turn {
  readonly #world: World;
  readonly #state: State;
  readonly #index: number;
  readonly #plan: ActorPlan;
  readonly #actor: Actor;
  readonly #broken: readonly Rule[];

  constructor(world: World, state: State, index: number, broken: readonly Rule[]) {
    this.#world = world;
    this.#state = state;
    this.#index = index;
    this.#plan = world.actors[index] as ActorPlan;
    this.#actor = state.actors[index] as Actor;
    this.#broken = broken;
  }

  /** Null when it has ended. */
  next(): State | null {
    switch (this.#actor.step) {
      case 'start':
      case 'again':
        return this.#start();
      case 'claim':
        return this.#claim();
      case 'read':
        return this.#read();
      case 'ledger':
        return this.#ledger();
      case 'effect':
        return this.#effect();
      case 'position':
        return this.#position();
      case 'append':
        return this.#append();
      case 'record':
        return this.#record();
      case 'confirm':
        return this.#confirm();
      case 'mark':
        return this.#mark();
      case 'pull':
        return this.#pull();
      case 'settle':
        return this.#settle();
      case 'bury':
        return this.#bury();
      default:
        return null;
    }
  }

  #go(to: Partial<State>, next: Partial<Actor>): State {
    return withActor({ ...this.#state, ...to }, this.#index, next);
  }

  /** Starts again under a new number, a bounded number of times so that the model ends. */
  #again(to: Partial<State> = {}): State {
    const { refusalsLeft } = this.#state;
    if (refusalsLeft === 0 || this.#plan.mayDie) return this.#go(to, { step: 'dead' });
    return this.#go({ ...to, refusalsLeft: refusalsLeft - 1 }, { ...idle, step: 'again' });
  }

  #start(): State {
    const run = this.#state.counter + 1;
    const isLedgerFirst = this.#broken.includes('the ledger after the claim');
    const step = isLedgerFirst ? 'ledger' : this.#broken.includes('number first') ? 'read' : 'claim';
    const expected = this.#world.losses ? this.#state.lastPosition : null;
    return this.#go({ counter: run }, { step, run, expected });
  }

  #claim(): State {
    const { fence } = this.#state;
    const { run } = this.#actor;
    if (fence <= run) return this.#go({ fence: run }, { step: 'read' });
    return this.#broken.includes('a refusal is noticed') ? this.#go({}, { step: 'read' }) : this.#again();
  }

  #read(): State {
    const { fence, version, outbox } = this.#state;
    if (fence > this.#actor.run && !this.#broken.includes('a refusal is noticed')) return this.#again();
    const step = this.#broken.includes('the ledger after the claim') ? 'effect' : 'ledger';
    return this.#go({}, { step, version, read: outbox });
  }

  #ledger(): State {
    const { published, deadLetters } = this.#state;
    const isWaiting = (event: string) =>
      deadLetters.includes(event) &&
      !this.#plan.redrive &&
      !this.#broken.includes('a dead letter waits to be redriven');
    const mine = this.#plan.batch.filter((event) => !published.includes(event) && !isWaiting(event));
    return this.#go(
      { deadLetters: deadLetters.filter((event) => !mine.includes(event)) },
      {
        step: this.#broken.includes('the ledger after the claim') ? 'claim' : 'effect',
        todo: mine.filter((event) => !isLoose(event)),
        loose: mine.filter(isLoose),
      },
    );
  }

  /** All at once; one by one where the store refuses some of them: halving ends there, and passes through fewer states. */
  #effect(): State {
    const { read, run, version } = this.#actor;
    const waiting = this.#broken.includes('the outbox is looked at') ? [] : read.map(([event]) => event);
    const fresh = this.#actor.todo.filter((event) => !waiting.includes(event));
    const [first] = fresh;
    if (first === undefined) return this.#toldNext({ todo: [] });
    if (!this.#isAsClaimed()) return this.#again();
    const isDivided = this.#state.isRefusing && fresh.some(isRefusable);
    const piece = isDivided ? [first] : fresh;
    const todo = fresh.slice(piece.length);
    if (isDivided && isRefusable(first)) {
      return this.#go({}, { todo, rejected: [...this.#actor.rejected, first] });
    }
    const entries = piece.map((event, at): Entry => [event, version + at + 1]);
    const state = this.#state;
    const outbox = [...state.outbox, ...entries];
    const fence = this.#broken.includes('number first') ? run : state.fence;
    const changed = { version: version + piece.length, outbox, applied: [...state.applied, ...piece], fence };
    return this.#go(changed, { todo, version: changed.version, read: [...read, ...entries] });
  }

  #isAsClaimed(): boolean {
    const { fence, version } = this.#state;
    const { run } = this.#actor;
    const isOwnFence = this.#broken.includes('number first') ? fence <= run : fence === run;
    const isSameVersion = version === this.#actor.version;
    return (
      (isOwnFence || this.#broken.includes('the effect is guarded by the fence')) &&
      (isSameVersion || this.#broken.includes('the effect is guarded by the version'))
    );
  }

  /** Nothing is told of a batch without anything to tell. */
  #toldNext(change: Partial<Actor>): State {
    if (this.#actor.read.length === 0 && this.#actor.loose.length === 0) return this.#afterTelling(this.#state, change);
    const readsAgain = this.#world.losses && !this.#broken.includes('the last position is read before the append');
    return this.#go({}, { ...change, step: readsAgain ? 'position' : 'append' });
  }

  #position(): State {
    return this.#go({}, { step: 'append', expected: higherOf(this.#actor.expected, this.#state.lastPosition) });
  }

  #append(): State {
    const { run, read, loose, expected, isOld } = this.#actor;
    if (isOld && !this.#broken.includes('an old run stops')) return this.#again();
    const own = this.#broken.includes('the whole outbox is told') ? this.#plan.batch : null;
    const entries = read.filter(([event]) => own === null || own.length === 0 || own.includes(event));
    const all = [...entries, ...loose.map((event): Entry => [event, 0])];
    const reached = append(this.#state, run, expected, all, this.#broken);
    const { epoch, seq, ms } = reached.log;
    const step =
      this.#world.losses && !this.#broken.includes('the position before the mark') ? 'record' : this.#markStep();
    return this.#go(reached, { step, appended: this.#world.losses ? { epoch, seq, ms } : null });
  }

  #markStep(): 'mark' | 'pull' {
    return this.#broken.includes('the mark before the pull') ? 'pull' : 'mark';
  }

  /** Over the position that the log was seen to know, and no other. */
  #record(): State {
    const { expected, appended } = this.#actor;
    const { lastPosition } = this.#state;
    if (this.#broken.includes('the position is recorded over one that the log knows')) {
      return this.#recorded({ lastPosition: higherOf(lastPosition, appended) });
    }
    if (isSame(lastPosition, expected)) return this.#recorded({ lastPosition: appended });
    return this.#go({}, { step: 'confirm', expected: lastPosition });
  }

  #recorded(to: Partial<State>): State {
    if (this.#broken.includes('the position before the mark')) return this.#afterPull({ ...this.#state, ...to });
    return this.#go(to, { step: this.#markStep() });
  }

  /** Another run has recorded meanwhile: the log must know its position, and still hold what this one appended. */
  #confirm(): State {
    const { log } = this.#state;
    const { expected, appended } = this.#actor;
    const isOtherThere = expected === null || holds(log, expected);
    const isMineThere = appended !== null && holds(log, appended);
    if (!isOtherThere && !this.#broken.includes('what others recorded is still there')) return this.#again();
    if (!isMineThere && !this.#broken.includes('the own events are still there')) return this.#again();
    const isBehind = expected?.epoch === appended?.epoch && (expected?.seq ?? 0) >= (appended?.seq ?? 0);
    if (isBehind) return this.#recorded({});
    return this.#go({}, { step: 'record' });
  }

  #mark(): State {
    const { published, deadLetters } = this.#state;
    const { read, loose } = this.#actor;
    const isWhole = this.#broken.includes('only what was told is marked');
    const told = isWhole ? this.#plan.batch : [...read.map(([event]) => event), ...loose];
    const keepsDead = this.#broken.includes('what is told is no dead letter');
    const fresh = told.filter(
      (event) => event !== 'create' && !published.includes(event) && !(keepsDead && deadLetters.includes(event)),
    );
    const marked: State = {
      ...this.#state,
      published: [...published, ...fresh].sort(),
      deadLetters: deadLetters.filter((event) => !fresh.includes(event)),
    };
    if (this.#broken.includes('the mark before the pull')) return this.#afterPull(marked);
    return withActor(marked, this.#index, { step: 'pull' });
  }

  #pull(): State {
    const { run, read, version } = this.#actor;
    const state = this.#state;
    const last = read.at(-1)?.[1] ?? 0;
    const isClaimed = this.#broken.includes('number first') ? state.fence <= run : state.fence === run;
    const isMine = isClaimed || this.#broken.includes('the pull is fenced');
    const outbox = isMine ? state.outbox.filter(([, at]) => at > last) : state.outbox;
    const isSettled = isMine || this.#broken.includes('a watermark is settled after the own pull');
    const pulled = { ...state, outbox };
    const next = { version: isSettled && last > 0 ? last : -version };
    if (this.#broken.includes('the mark before the pull'))
      return withActor(pulled, this.#index, { ...next, step: 'mark' });
    if (this.#broken.includes('the position before the mark') && this.#world.losses) {
      return withActor(pulled, this.#index, { ...next, step: 'record' });
    }
    return this.#afterPull(pulled, next);
  }

  #afterPull(state: State, change: Partial<Actor> = {}): State {
    if (this.#world.hours) return withActor(state, this.#index, { ...change, step: 'settle' });
    return this.#afterTelling(state, change);
  }

  #settle(): State {
    const { loose, version } = this.#actor;
    const log = settle(this.#state.log, loose, version > 0 ? version : null, this.#broken);
    return this.#afterTelling({ ...this.#state, log });
  }

  #afterTelling(state: State, change: Partial<Actor> = {}): State {
    const step = this.#actor.rejected.length > 0 ? 'bury' : 'done';
    return withActor(state, this.#index, { ...change, step });
  }

  #bury(): State {
    const { published, deadLetters } = this.#state;
    const overwrites = this.#broken.includes('what is published is not given up');
    const given = this.#actor.rejected.filter((event) => overwrites || !published.includes(event));
    return this.#go(
      {
        published: published.filter((event) => !given.includes(event)),
        deadLetters: [...new Set([...deadLetters, ...given])].sort(),
      },
      { step: 'done' },
    );
  }
}

function isSame(a: Position | null, b: Position | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function higherOf(a: Position | null, b: Position | null): Position | null {
  if (a === null || b === null) return a ?? b;
  return a.epoch > b.epoch || (a.epoch === b.epoch && a.seq >= b.seq) ? a : b;
}
