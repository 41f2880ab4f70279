import { parsePosition } from '@widget-service/shared/domain/log-position.ts';
import type { CloudEvent, SeenEvent } from './recording.ts';

/** Keeps one object per position and bytes for all streams: hundreds of streams are sent the same events. */
export type SeenEvents = (position: string, data: string) => SeenEvent;

export function createSeenEvents(): SeenEvents {
  const known = new Map<string, SeenEvent>();
  return (position, data) => {
    const same = known.get(position);
    if (same !== undefined && same.data === data) return same;
    const parsed = parsePosition(position);
    const event: SeenEvent = {
      type: 'event',
      position,
      epoch: parsed?.epoch ?? '',
      seq: parsed?.seq ?? Number.NaN,
      data,
      event: JSON.parse(data) as CloudEvent,
    };
    if (same === undefined) known.set(position, event);
    return event;
  };
}
