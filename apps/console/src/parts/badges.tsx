import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import type { ComponentChildren } from 'preact';
import { liveState } from '../live/shared-widgets.ts';
import type { Schemas } from '../service/service.ts';
import { texts } from '../texts/texts.ts';

/**
 * `normal`: as it should be, shown quietly. `good`: a success. `bad`: needs somebody. `warning`: may need somebody.
 * `quiet`: over or switched off. `info`: not done yet.
 */
export type Tone = 'normal' | 'good' | 'bad' | 'warning' | 'quiet' | 'info';

/** A short state. The word says it; the colour only helps. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={tone === 'normal' ? 'badge-normal' : `badge badge-${tone}`}>{children}</span>;
}

const liveTones = {
  loading: 'quiet',
  live: 'good',
  stale: 'warning',
  failed: 'bad',
  closed: 'bad',
} as const satisfies Readonly<Record<typeof liveState.value, Tone>>;

/** Says whether what the page shows is as it is now. */
export function LiveBadge() {
  return (
    <span role="status">
      <span class={`live live-${liveTones[liveState.value]}`}>{texts.general.liveStates[liveState.value]}</span>
    </span>
  );
}

export function WidgetState({ state }: { readonly state: LiveWidget['state'] }) {
  return <Badge tone={state === 'active' ? 'normal' : 'quiet'}>{texts.widgets.states[state]}</Badge>;
}

const deliveryStates = {
  received: ['info', 'Waiting'],
  published: ['normal', 'Published'],
  dead: ['bad', 'Dead'],
  discarded: ['quiet', 'Discarded'],
} as const;

export function DeliveryState({ state }: { readonly state: Schemas['Delivery']['state'] }) {
  const [tone, text] = deliveryStates[state];
  return <Badge tone={tone}>{text}</Badge>;
}
