import type { Widget, WidgetState } from '@widget-service/shared/domain/widget.ts';

/** A row of `widgets`. */
export interface WidgetRow {
  readonly id: string;
  readonly name: string;
  readonly state: WidgetState;
  readonly labels: string;
  readonly owner_user_id: string | null;
  readonly owner_email: string | null;
  readonly owner_notify: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly retired_at: number | null;
  readonly last_event_at: number | null;
  readonly version: number;
}

export const widgetColumns =
  'id, name, state, labels, owner_user_id, owner_email, owner_notify, created_at, updated_at, retired_at, ' +
  'last_event_at, version';

export function toWidget(row: WidgetRow): Widget {
  const { owner_user_id: userId, owner_email: email } = row;
  return {
    id: row.id,
    name: row.name,
    state: row.state,
    labels: parseLabels(row.labels),
    owner: userId === null || email === null ? null : { userId, email, notify: row.owner_notify === 1 },
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    retiredAt: toDate(row.retired_at),
    lastEventAt: toDate(row.last_event_at),
    version: row.version,
  };
}

export function toDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

// Most widgets and events have no labels, and this is met for every event.
export function serializeLabels(labels: readonly string[]): string {
  return labels.length === 0 ? '[]' : JSON.stringify(labels);
}

export function parseLabels(text: string): readonly string[] {
  return text === '[]' ? [] : JSON.parse(text);
}
