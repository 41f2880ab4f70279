import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { expect, it } from 'vitest';
import { Feeds } from './feed.ts';
import { Ring } from './ring.ts';

it('keeps one feed per filter, as long as somebody is under it', () => {
  const feeds = new Feeds(new Ring({ frames: 10, bytes: 1_000 }));
  const first = feeds.take({ ...noFilter, labels: ['a', 'b'] });
  expect(feeds.take({ ...noFilter, labels: ['b', 'a'] })).toBe(first);
  expect(feeds.take({ ...noFilter, labels: ['a'] })).not.toBe(first);
  feeds.release(first);
  expect(feeds.take({ ...noFilter, labels: ['a', 'b'] })).toBe(first);
  feeds.release(first);
  feeds.release(first);
  expect(feeds.take({ ...noFilter, labels: ['a', 'b'] })).not.toBe(first);
});
