import { liveState } from '../live/live-widgets.ts';
import { texts } from '../texts/texts.ts';
import { Badge, type Tone } from './badge.tsx';

const tones: Readonly<Record<typeof liveState.value, Tone>> = {
  loading: 'quiet',
  live: 'good',
  stale: 'warning',
  failed: 'bad',
  closed: 'bad',
};

/** Says whether what the page shows is as it is now. */
export function LiveBadge() {
  return (
    <span role="status">
      <Badge tone={tones[liveState.value]}>{texts.general.liveStates[liveState.value]}</Badge>
    </span>
  );
}
