export const widgetStates = ['active', 'retired'] as const;
export type WidgetState = (typeof widgetStates)[number];

export interface WidgetOwner {
  /** UUID, lower-case. */
  readonly userId: string;
  readonly email: string;
  readonly notify: boolean;
}

/**
 * A widget with all its members. Every place that must handle each member names them all by its type, so that it does
 * not compile without a new one: the defaults of a create, the snapshot in an event, the document of MongoDB, the
 * columns of SQLite, and the schemas of the api. A new column also belongs into `schema/` of the embedded backend.
 */
export interface Widget {
  /** UUIDv7, lower-case. */
  readonly id: string;
  readonly name: string;
  readonly state: WidgetState;
  readonly labels: readonly string[];
  readonly owner: WidgetOwner | null;
  readonly createdAt: Date;
  /** The latest of `createdAt` and the `receivedAt` of the applied hooks. */
  readonly updatedAt: Date;
  /** When it was retired, by a hook or by its creation: see `applyHooks`. Null unless the state is `retired`. */
  readonly retiredAt: Date | null;
  /** The latest time of the applied hooks. Null before the first one. */
  readonly lastEventAt: Date | null;
  /** 1 + the number of distinct hooks applied. */
  readonly version: number;
}

/** The members that a client chooses when it creates a widget, with defaults filled in. */
export type NewWidget = Pick<Widget, 'name' | 'state' | 'labels' | 'owner'>;

/** What a member is that the creator of a widget did not choose. */
export const newWidgetDefaults: Omit<NewWidget, 'name'> = { state: 'active', labels: [], owner: null };

/** The members that a hook may change. The others stay as they were at the creation. */
export type HookChangedMembers = Pick<Widget, 'state' | 'updatedAt' | 'retiredAt' | 'lastEventAt' | 'version'>;

/** Copies these members, and no other. */
export function pickHookChanged(widget: HookChangedMembers): HookChangedMembers {
  const { state, updatedAt, retiredAt, lastEventAt, version } = widget;
  return { state, updatedAt, retiredAt, lastEventAt, version };
}

/** Builds a widget at version 1. If its state is `retired`, `retiredAt` is the time of creation. */
export function buildWidget(chosen: NewWidget, id: string, createdAt: Date): Widget {
  return {
    id,
    name: chosen.name,
    state: chosen.state,
    labels: chosen.labels,
    owner: chosen.owner,
    createdAt,
    updatedAt: createdAt,
    retiredAt: chosen.state === 'retired' ? createdAt : null,
    lastEventAt: null,
    version: 1,
  };
}
