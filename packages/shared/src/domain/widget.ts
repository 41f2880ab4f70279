/** The widget as the service knows it; `routes` and the event's JSON decide what of it is shown to whom. */

export const widgetStates = ['active', 'retired'] as const;
export type WidgetState = (typeof widgetStates)[number];

export interface WidgetOwner {
  /** UUID, lower-case. */
  readonly userId: string;
  readonly email: string;
  readonly notify: boolean;
}

export interface Widget {
  /** UUIDv7, lower-case. */
  readonly id: string;
  readonly name: string;
  readonly state: WidgetState;
  readonly labels: readonly string[];
  readonly owner: WidgetOwner | null;
  readonly createdAt: Date;
  /** The latest of `createdAt` and the times at which the applied hooks were received. */
  readonly updatedAt: Date;
  readonly retiredAt: Date | null;
  readonly lastEventAt: Date | null;
  /** 1 + the number of distinct hooks applied. */
  readonly version: number;
}

/** What a caller chooses when creating a widget, defaults filled in. */
export type NewWidget = Pick<Widget, 'name' | 'state' | 'labels' | 'owner'>;

/** A widget at version 1. One created `retired` is retired from the moment of its creation. */
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
