import { parseStreamEvent } from '@widget-service/client/stream/stream-event.ts';
import { expect, test } from 'vitest';
import { formatEvent, readStreamUrl } from './stream-events.ts';

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

const own = 'https://widgets.example.com';

test('tells the address of this page from another one', () => {
  const path = '/prefix/api/v1/events/wst_abc';
  expect(readStreamUrl(` ${own}${path}\n`, own)).toEqual({ kind: 'own', url: `${own}${path}` });
  expect(readStreamUrl(`http://widgets.example.com:8080${path}`, own)).toMatchObject({
    kind: 'other',
    host: 'widgets.example.com:8080',
  });
});

test.each(['', 'abc', 'wst_abc', `${own}/api/v1/events/`, `${own}/api/v1/events/hooks/wht_abc`, 'javascript:alert(1)'])(
  '%s: is not the URL of a stream',
  (text) => {
    expect(readStreamUrl(text, own)).toEqual({ kind: 'wrong' });
  },
);
