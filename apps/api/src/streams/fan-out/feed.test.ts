import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { expect, test } from 'vitest';
import { Feeds } from './feed.ts';
import type { Frame } from './frame.ts';
import { Ring } from './ring.ts';

const aFrame: Omit<Frame, 'bytes'> = {
  ms: 1_001,
  seq: 1,
  previousMs: 1_000,
  type: 'widget.updated',
  widgetId: 'w',
  state: 'active',
  stateBefore: 'active',
  labels: [],
};

test('shares one feed per filter until its last user releases it', () => {
  const feeds = new Feeds(new Ring({ frames: 10, bytes: 1_000 }));
  const first = feeds.acquire({ ...noFilter, labels: ['a', 'b'] });
  expect(feeds.acquire({ ...noFilter, labels: ['b', 'a'] })).toBe(first);
  expect(feeds.acquire({ ...noFilter, labels: ['a'] })).not.toBe(first);
  feeds.release(first);
  expect(feeds.acquire({ ...noFilter, labels: ['a', 'b'] })).toBe(first);
  feeds.release(first);
  feeds.release(first);
  expect(feeds.acquire({ ...noFilter, labels: ['a', 'b'] })).not.toBe(first);
});

test('caches joined frames per frame object, not per seq', () => {
  const ring = new Ring({ frames: 10, bytes: 1_000 });
  const fill = (epoch: string) => {
    ring.reset({ epoch, ms: 1_000, seq: 0 });
    const frame = { ...aFrame, bytes: Buffer.from(epoch) };
    ring.push(frame);
    return frame;
  };
  const feed = new Feeds(ring).acquire(noFilter);
  const before = fill('e1');
  expect(feed.joinFrom(before)).toBe(feed.joinFrom(before));
  const after = fill('e2');
  expect(feed.joinFrom(after).chunk?.plain.toString()).toBe('e2');
});
