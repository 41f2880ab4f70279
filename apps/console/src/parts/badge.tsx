import type { ComponentChildren } from 'preact';

/** `good`: as it should be. `bad`: needs somebody. `warning`: may need somebody. `quiet`: over or switched off. */
export type Tone = 'good' | 'bad' | 'warning' | 'quiet' | 'info';

/** A short state. The word says it; the colour only helps. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}
