import { append, expireMarks, holds } from './event-log-model.ts';
import type { Rule } from './publishing-rules.ts';
import {
  type Actor,
  type ActorPlan,
  changeActor,
  type Entry,
  idle,
  isSamePosition,
  isWithoutWidget,
  mayBeUnstorable,
  pickHigher,
  type State,
  type World,
} from './publishing-state.ts';

/** The next step of one run. */
export class RunStep {
  static readonly #steps: Readonly<Partial<Record<Actor['step'], (step: RunStep) => State>>> = {
    start: (step) => step.#start(),
    restart: (step) => step.#start(),
    load: (step) => step.#load(),
    ledger: (step) => step.#ledger(),
    effect: (step) => step.#effect(),
    append: (step) => step.#append(),
    record: (step) => step.#record(),
    confirm: (step) => step.#confirm(),
    mark: (step) => step.#mark(),
    remove: (step) => step.#remove(),
    number: (step) => step.#number(),
    expire: (step) => step.#expire(),
    'dead-letter': (step) => step.#deadLetter(),
  };

  readonly #world: World;
  readonly #state: State;
  readonly #index: number;
  readonly #plan: ActorPlan;
  readonly #actor: Actor;
  readonly #without: readonly Rule[];

  constructor(world: World, state: State, index: number, without: readonly Rule[]) {
    this.#world = world;
    this.#state = state;
    this.#index = index;
    this.#plan = world.actors[index] as ActorPlan;
    this.#actor = state.actors[index] as Actor;
    this.#without = without;
  }

  /** Returns the state after the step. Null if the run has ended. */
  execute(): State | null {
    return RunStep.#steps[this.#actor.step]?.(this) ?? null;
  }

  #lacks(rule: Rule): boolean {
    return this.#without.includes(rule);
  }

  #update(to: Partial<State>, next: Partial<Actor>): State {
    return changeActor({ ...this.#state, ...to }, this.#index, next);
  }

  /** Starts again under a new number. The number of restarts is bounded. */
  #restart(to: Partial<State> = {}): State {
    const { restartsLeft } = this.#state;
    if (restartsLeft === 0 || this.#plan.mayCrash) return this.#update(to, { step: 'crashed' });
    return this.#update({ ...to, restartsLeft: restartsLeft - 1 }, { ...idle, step: 'restart' });
  }

  #start(): State {
    const run = this.#state.lastRun + 1;
    const step = this.#lacks('the ledger is read after the load') ? 'ledger' : 'load';
    const expected = this.#world.losses ? this.#state.lastPosition : null;
    return this.#update({ lastRun: run }, { step, run, expected });
  }

  #load(): State {
    const { version, outbox } = this.#state;
    const step = this.#lacks('the ledger is read after the load') ? 'effect' : 'ledger';
    return this.#update({}, { step, version, read: outbox });
  }

  #ledger(): State {
    const { published, deadLetters } = this.#state;
    const isWaiting = (event: string) =>
      deadLetters.includes(event) &&
      !this.#plan.isRedrive &&
      !this.#lacks('a dead letter is processed only if it is redriven');
    const mine = this.#plan.batch.filter((event) => !published.includes(event) && !isWaiting(event));
    return this.#update(
      { deadLetters: deadLetters.filter((event) => !mine.includes(event)) },
      {
        step: this.#lacks('the ledger is read after the load') ? 'load' : 'effect',
        pending: mine.filter((event) => !isWithoutWidget(event)),
        withoutWidget: mine.filter(isWithoutWidget),
      },
    );
  }

  /**
   * Writes all hooks at once, or one by one while the store rejects some of them. The service halves such a batch; one
   * by one reaches the same end with fewer states.
   */
  #effect(): State {
    const { read, version } = this.#actor;
    const waiting = this.#lacks('a delivery in the outbox is not applied again') ? [] : read.map(([event]) => event);
    const fresh = this.#actor.pending.filter((event) => !waiting.includes(event));
    const [first] = fresh;
    if (first === undefined) return this.#continueToAppend({ pending: [] });
    if (this.#state.version !== version && !this.#lacks('an effect requires the version')) return this.#restart();
    const isSplit = this.#state.isStoreRejecting && fresh.some(mayBeUnstorable);
    const piece = isSplit ? [first] : fresh;
    const pending = fresh.slice(piece.length);
    if (isSplit && mayBeUnstorable(first)) {
      return this.#update({}, { pending, unstorable: [...this.#actor.unstorable, first] });
    }
    const entries = piece.map((event, at): Entry => [event, version + at + 1]);
    const state = this.#state;
    const outbox = [...state.outbox, ...entries];
    const changed = { version: version + piece.length, outbox, applied: [...state.applied, ...piece] };
    return this.#update(changed, { pending, version: changed.version, read: [...read, ...entries] });
  }

  /** A batch with nothing to publish appends nothing. */
  #continueToAppend(change: Partial<Actor>): State {
    if (this.#actor.read.length === 0 && this.#actor.withoutWidget.length === 0)
      return this.#finishPublishing(this.#state, change);
    return this.#update({}, { ...change, step: 'append' });
  }

  /**
   * The check of the run's own age is not in the model: the run may sleep between that check and the append, so the log
   * must reject it in any case.
   */
  #append(): State {
    const { run, read, withoutWidget, expected } = this.#actor;
    if (run < this.#state.log.lowestRun) return this.#restart();
    const own = this.#lacks('a run appends the whole outbox') ? this.#plan.batch : null;
    const entries = read.filter(([event]) => own === null || own.length === 0 || own.includes(event));
    const all = [...entries, ...withoutWidget.map((event): Entry => [event, 0])];
    const next = append(this.#state, run, expected, all, this.#without);
    const { epoch, seq, ms } = next.log;
    const step =
      this.#world.losses && !this.#lacks('the position is recorded before deliveries are marked published')
        ? 'record'
        : this.#getMarkStep();
    return this.#update(next, { step, appended: this.#world.losses ? { epoch, seq, ms } : null });
  }

  #getMarkStep(): 'mark' | 'remove' {
    return this.#lacks('deliveries are marked published before their entries are removed') ? 'remove' : 'mark';
  }

  /** Records over the position that the append was checked against, and over no other. */
  #record(): State {
    const { expected, appended } = this.#actor;
    const { lastPosition } = this.#state;
    if (this.#lacks('a run records its position only over the one that its append was checked against')) {
      return this.#finishRecord({ lastPosition: pickHigher(lastPosition, appended) });
    }
    if (isSamePosition(lastPosition, expected)) return this.#finishRecord({ lastPosition: appended });
    return this.#update({}, { step: 'confirm', expected: lastPosition });
  }

  #finishRecord(to: Partial<State>): State {
    if (this.#lacks('the position is recorded before deliveries are marked published'))
      return this.#finishRemove({ ...this.#state, ...to });
    return this.#update(to, { step: this.#getMarkStep() });
  }

  /** Another run has recorded a position meanwhile. The log must hold that position and this run's own last event. */
  #confirm(): State {
    const { log } = this.#state;
    const { expected, appended } = this.#actor;
    const isOtherThere = expected === null || holds(log, expected);
    const isMineThere = appended !== null && holds(log, appended);
    if (!isOtherThere && !this.#lacks('the log still holds the position that another run recorded'))
      return this.#restart();
    if (!isMineThere && !this.#lacks('the log still holds the last event of the run')) return this.#restart();
    const isBehind = expected?.epoch === appended?.epoch && (expected?.seq ?? 0) >= (appended?.seq ?? 0);
    if (isBehind) return this.#finishRecord({});
    return this.#update({}, { step: 'record' });
  }

  #mark(): State {
    const { published, deadLetters } = this.#state;
    const { read, withoutWidget } = this.#actor;
    const isWhole = this.#lacks('only events in the log are marked published');
    const events = isWhole ? this.#plan.batch : [...read.map(([event]) => event), ...withoutWidget];
    const isDeadKept = this.#lacks('a dead letter whose event is in the log is marked published');
    const fresh = events.filter(
      (event) => event !== 'create' && !published.includes(event) && !(isDeadKept && deadLetters.includes(event)),
    );
    const marked: State = {
      ...this.#state,
      published: [...published, ...fresh].sort(),
      deadLetters: deadLetters.filter((event) => !fresh.includes(event)),
    };
    if (this.#lacks('deliveries are marked published before their entries are removed'))
      return this.#finishRemove(marked);
    return changeActor(marked, this.#index, { step: 'remove' });
  }

  #remove(): State {
    const state = this.#state;
    const version = this.#actor.read.at(-1)?.[1] ?? 0;
    const removed = { ...state, outbox: state.outbox.filter(([, at]) => at > version) };
    // From now on, `version` is that of the watermark that may expire.
    if (this.#lacks('deliveries are marked published before their entries are removed'))
      return changeActor(removed, this.#index, { version, step: 'mark' });
    if (this.#lacks('the position is recorded before deliveries are marked published') && this.#world.losses) {
      return changeActor(removed, this.#index, { version, step: 'record' });
    }
    return this.#finishRemove(removed, { version });
  }

  #finishRemove(state: State, change: Partial<Actor> = {}): State {
    const isOwnNumber = this.#lacks('marks expire under a number that was taken after their entries left the outbox');
    if (this.#world.hours)
      return changeActor(state, this.#index, { ...change, step: isOwnNumber ? 'expire' : 'number' });
    return this.#finishPublishing(state, change);
  }

  #number(): State {
    const run = this.#state.lastRun + 1;
    return this.#update({ lastRun: run }, { run, step: 'expire' });
  }

  #expire(): State {
    const { run, withoutWidget, version } = this.#actor;
    const log = expireMarks(this.#state.log, run, withoutWidget, version > 0 ? version : null, this.#without);
    return this.#finishPublishing({ ...this.#state, log });
  }

  #finishPublishing(state: State, change: Partial<Actor> = {}): State {
    const step = this.#actor.unstorable.length > 0 ? 'dead-letter' : 'done';
    return changeActor(state, this.#index, { ...change, step });
  }

  #deadLetter(): State {
    const { published, deadLetters } = this.#state;
    const mayOverwrite = this.#lacks('a published delivery does not become a dead letter');
    const deadLettered = this.#actor.unstorable.filter((event) => mayOverwrite || !published.includes(event));
    return this.#update(
      {
        published: published.filter((event) => !deadLettered.includes(event)),
        deadLetters: [...new Set([...deadLetters, ...deadLettered])].sort(),
      },
      { step: 'done' },
    );
  }
}
