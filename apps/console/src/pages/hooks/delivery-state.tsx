import { Badge } from '../../parts/badge.tsx';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

const tones = { received: 'info', published: 'good', dead: 'bad', discarded: 'quiet' } as const;

export function DeliveryState({ state }: { readonly state: Schemas['Delivery']['state'] }) {
  return <Badge tone={tones[state]}>{texts.hooks.states[state]}</Badge>;
}
