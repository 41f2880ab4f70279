export const widgetStates = ['active', 'retired'] as const;
export type WidgetState = (typeof widgetStates)[number];

export interface WidgetOwner {
  /** UUID, lower-case. */
  readonly userId: string;
  readonly email: string;
  readonly notify: boolean;
}

/**
 * A widget with all its members. The api's routes and `widget-event.ts` decide which members a client sees. The
 * adapters store them: `mongo-widget-store.ts` with `widget-document.ts`, and `sqlite-widget-store.ts` with `schema/`.
 * A member that a client chooses also belongs into `computeFingerprint`, and one that a hook changes into
 * `OutboxEntry.after`.
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
