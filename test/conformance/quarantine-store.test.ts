import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { awkwardPayload, awkwardTexts } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

let store: TestBackend;
beforeAll(async () => {
  store = await openTestBackend();
});
afterAll(() => store.dispose());
const quarantine = () => store.backend.quarantine;

async function keptUnder(id: string): Promise<string[]> {
  const texts = await quarantine().list(1_000);
  return texts.filter((each) => each.id === id).map((each) => each.text);
}

it('keeps every text as it was, also through a reopening', async () => {
  const texts = ['', awkwardPayload, ...awkwardTexts, '{"half of a'].map((text) => ({ id: randomUUID(), text }));
  for (const text of texts) await quarantine().add(text);
  await store.reopen();
  for (const { id, text } of texts) expect(await keptUnder(id)).toEqual([text]);
});

it('keeps the first text under an id', async () => {
  const id = `job-${randomUUID()}:0`;
  await quarantine().add({ id, text: 'first' });
  await quarantine().add({ id, text: 'second' });
  expect(await keptUnder(id)).toEqual(['first']);
});

it('lists no more than it is asked for', async () => {
  for (const text of ['a', 'b', 'c']) await quarantine().add({ id: randomUUID(), text });
  expect(await quarantine().list(2)).toHaveLength(2);
});
