import type { OutboxEntry } from '../domain/outbox-entry.ts';
import type { Widget } from '../domain/widget.ts';

/** A widget whose fence carries this run's number, with everything its outbox holds, oldest first. */
export interface ClaimedWidget {
  readonly widget: Widget;
  readonly outbox: readonly OutboxEntry[];
}

export interface Claim {
  readonly claimed: readonly ClaimedWidget[];
  /** Widgets that a run with a higher number has claimed since: this run must not touch them. */
  readonly superseded: readonly string[];
}

export interface WidgetChange {
  readonly widgetId: string;
  /** The `version` the change was computed from. */
  readonly fromVersion: number;
  readonly after: OutboxEntry['after'];
  /** Appended to the outbox, in this order. */
  readonly entries: readonly OutboxEntry[];
}

export interface ApplyOutcome {
  readonly superseded: readonly string[];
  readonly unstorable: readonly string[];
}

/**
 * What hooks do to widgets. A run claims the widgets of its batch with its number (the *fence*), computes, and writes
 * by compare-and-set, so that of two runs that know nothing of each other only the later one writes.
 * Methods throw `UnavailableError` when it is unknown whether they took place, and `StoreRefusedError` when the store
 * will never take what they write.
 */
export interface WidgetEffects {
  /** Raises the fence of each widget to `run` where it is lower, then reads them as the majority has them. */
  claim(run: number, widgetIds: readonly string[]): Promise<Claim>;
  /**
   * Writes each change, atomically per widget, if the widget's fence is exactly `run` and its version exactly
   * `fromVersion`. Returns the ids of the widgets that are unchanged by this call: `refused` where it was not, and
   * `rejected` where the store will never take the change. Changes are of different widgets.
   */
  apply(run: number, changes: readonly WidgetChange[]): Promise<ApplyOutcome>;
}
