import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { awkwardPayload, awkwardTexts } from '../support/builders.ts';
import { openTestBackend } from '../support/open-test-backend.ts';
import type { TestBackend } from '../support/test-backend.ts';

let store: TestBackend;
beforeAll(async () => {
  store = await openTestBackend();
});
afterAll(() => store.dispose());
const setAside = () => store.backend.setAside;

async function keptUnder(id: string): Promise<string[]> {
  const texts = await setAside().list(1_000);
  return texts.filter((each) => each.id === id).map((each) => each.text);
}

it('keeps every text as it was, also through a reopening', async () => {
  const texts = ['', awkwardPayload, ...awkwardTexts, '{"half of a'].map((text) => ({ id: randomUUID(), text }));
  for (const text of texts) await setAside().keep(text);
  await store.reopen();
  for (const { id, text } of texts) expect(await keptUnder(id)).toEqual([text]);
});

it('keeps the first text under an id', async () => {
  const id = `job-${randomUUID()}:0`;
  await setAside().keep({ id, text: 'first' });
  await setAside().keep({ id, text: 'second' });
  expect(await keptUnder(id)).toEqual(['first']);
});

it('lists no more than it is asked for', async () => {
  for (const text of ['a', 'b', 'c']) await setAside().keep({ id: randomUUID(), text });
  expect(await setAside().list(2)).toHaveLength(2);
});
