import { parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import type { CloudEvent, ReceivedEvent } from '../cluster/recording.ts';

/**
 * Returns the same object for the same position and bytes. Hundreds of streams receive the same events, so this bounds
 * the memory of a recording.
 */
export type InternEvent = (position: string, data: string) => ReceivedEvent;

export function createEventInterner(): InternEvent {
  const events = new Map<string, ReceivedEvent>();
  return (position, data) => {
    const known = events.get(position);
    if (known !== undefined && known.data === data) return known;
    const parsed = parsePosition(position);
    const event: ReceivedEvent = {
      type: 'event',
      position,
      epoch: parsed?.epoch ?? '',
      seq: parsed?.seq ?? Number.NaN,
      data,
      event: JSON.parse(data) as CloudEvent,
    };
    if (known === undefined) events.set(position, event);
    return event;
  };
}
