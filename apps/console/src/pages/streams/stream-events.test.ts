import { parseStreamEvent } from '@widget-service/client/stream/stream-event.ts';
import { expect, test } from 'vitest';
import { formatEvent } from './stream-events.ts';

test('shows every digit of the payload, the type and the position', () => {
  const data =
    '{"id":"e1","type":"widget.updated","data":{"widget":null,"payload":{"id":12345678901234567890,"price":1.0}}}';
  const event = parseStreamEvent({ name: 'widget.updated', id: 'p1', data });
  expect(event === null ? '' : formatEvent(event)).toBe(`{
  "id": "e1",
  "type": "widget.updated",
  "data": {
    "widget": null,
    "payload": {
      "id": 12345678901234567890,
      "price": 1.0
    }
  },
  "position": "p1"
}`);
});
