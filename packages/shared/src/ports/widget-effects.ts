import type { UnstorableItem } from '../domain/errors.ts';
import type { OutboxEntry } from '../domain/outbox-entry.ts';
import type { Widget } from '../domain/widget.ts';

/** A widget with all entries of its outbox, oldest first. */
export interface LoadedWidget {
  readonly widget: Widget;
  readonly outbox: readonly OutboxEntry[];
}

export interface WidgetChange {
  readonly widgetId: string;
  /** The version from which the change was computed. */
  readonly fromVersion: number;
  readonly after: OutboxEntry['after'];
  /** Appended to the outbox, in this order. */
  readonly entries: readonly OutboxEntry[];
}

interface ApplyOutcome {
  /**
   * True if a change was not written because the version of its widget is not `fromVersion`: another run has written
   * since, or an earlier try of this call has. The other changes are written.
   */
  readonly superseded: boolean;
  /** The store will never accept these changes, by widget id. */
  readonly unstorable: readonly UnstorableItem[];
}

/**
 * The effects of hooks on widgets. A run reads the widgets of its batch, computes the changes, and writes each by
 * compare-and-set. So of two runs that read the same version, only the first writes.
 *
 * Example: run 41 reads version 3 of a widget and freezes. Run 42 reads version 3, and writes version 4. Run 41
 * resumes, and its `apply` is superseded.
 *
 * Methods throw `UnavailableError` if it is unknown whether they took place: the caller starts a new run. They throw
 * `UnstorableError` if the store will never accept the write.
 */
export interface WidgetEffects {
  /** Reads the widgets (cluster: as a majority has them). Leaves out unknown ids. */
  load(widgetIds: readonly string[]): Promise<readonly LoadedWidget[]>;
  /**
   * Writes each change if the widget's version is exactly `fromVersion`. Each widget is written atomically, together
   * with its outbox. The changes are of distinct widgets.
   */
  apply(changes: readonly WidgetChange[]): Promise<ApplyOutcome>;
}
