import type { ComponentChildren } from 'preact';
import type { Schemas } from '../service/service.ts';

/**
 * `normal`: as it should be, shown quietly. `good`: a success. `bad`: needs somebody. `warning`: may need somebody.
 * `quiet`: over or switched off. `info`: not done yet.
 */
export type Tone = 'normal' | 'good' | 'bad' | 'warning' | 'quiet' | 'info';

/** A short state. The word says it; the colour only helps. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={tone === 'normal' ? 'badge-normal' : `badge badge-${tone}`}>{children}</span>;
}

/** `loading`: no stream is open yet. `stale`: it is interrupted or silent. `failed`: the page follows none any more. */
export type LiveState = 'loading' | 'live' | 'stale' | 'failed';

const liveTones = { loading: 'quiet', live: 'good', stale: 'warning', failed: 'bad' } as const;
const liveTexts = {
  loading: 'Loading',
  live: 'Live',
  stale: 'Reconnecting… What you see may be out of date',
  failed: 'Not live',
} as const;

/** Says whether what the page shows is as it is now. */
export function LiveBadge({ state }: { readonly state: LiveState }) {
  return (
    <span role="status">
      <span class={`live live-${liveTones[state]}`}>{liveTexts[state]}</span>
    </span>
  );
}

export const widgetStates = { active: 'Active', retired: 'Retired' } as const;

export function WidgetState({ state }: { readonly state: Schemas['Widget']['state'] }) {
  return <Badge tone={state === 'active' ? 'normal' : 'quiet'}>{widgetStates[state]}</Badge>;
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
