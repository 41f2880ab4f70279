import type { UnstorableItem } from '../domain/errors.ts';
import type { OutboxEntry } from '../domain/outbox-entry.ts';
import type { Widget } from '../domain/widget.ts';

/** A widget whose fence is this run's number, with all entries of its outbox, oldest first. */
export interface ClaimedWidget {
  readonly widget: Widget;
  readonly outbox: readonly OutboxEntry[];
}

export interface Claim {
  readonly claimed: readonly ClaimedWidget[];
  /** Ids of widgets that a higher run has claimed. This run can no longer write them. */
  readonly superseded: readonly string[];
}

export interface WidgetChange {
  readonly widgetId: string;
  /** The version from which the change was computed. */
  readonly fromVersion: number;
  readonly after: OutboxEntry['after'];
  /** Appended to the outbox, in this order. */
  readonly entries: readonly OutboxEntry[];
}

/** The widgets that this call left unchanged. */
interface ApplyOutcome {
  /** Ids: the widget's fence is not `run`, or its version is not `fromVersion`. */
  readonly superseded: readonly string[];
  /** The store will never accept the change. */
  readonly unstorable: readonly UnstorableItem[];
}

/**
 * The effects of hooks on widgets. A run claims the widgets of its batch by raising their *fence* to its number. It
 * then computes the changes and writes them by compare-and-set. So only the higher of two concurrent runs writes.
 *
 * Example: run 41 claims a widget (its fence becomes 41) and freezes. Run 42 claims the widget (fence 42) and changes
 * it. Run 41 resumes, and its `apply` returns the widget as superseded.
 *
 * Methods throw `UnavailableError` if it is unknown whether they took place: the caller starts a new run. They throw
 * `UnstorableError` if the store will never accept the write.
 */
export interface WidgetEffects {
  /**
   * Raises the fence of each widget to `run` if it is lower, then reads the widgets (cluster: as a majority has them).
   * Unknown ids are in neither list.
   */
  claim(run: number, widgetIds: readonly string[]): Promise<Claim>;
  /**
   * Writes each change if the widget's fence is exactly `run` and its version exactly `fromVersion`. Each widget is
   * written atomically, together with its outbox. The changes are of distinct widgets.
   */
  apply(run: number, changes: readonly WidgetChange[]): Promise<ApplyOutcome>;
}
