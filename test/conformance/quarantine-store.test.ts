import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awkwardPayload, awkwardTexts } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

describe('QuarantineStore.add', () => {
  let testBackend: TestBackend;
  beforeAll(async () => {
    testBackend = await openTestBackend();
  });
  afterAll(() => testBackend.dispose());
  const quarantine = () => testBackend.backend.quarantine;

  async function readTexts(id: string): Promise<string[]> {
    const stored = await testBackend.readQuarantine();
    return stored.filter((text) => text.id === id).map(({ text }) => text);
  }

  it('keeps every text unchanged across a reopen', async () => {
    const texts = ['', awkwardPayload, ...awkwardTexts, '{"half of a'].map((text) => ({ id: randomUUID(), text }));
    for (const text of texts) await quarantine().add(text);
    await testBackend.reopen();
    const stored = await testBackend.readQuarantine();
    for (const text of texts) expect(stored.filter(({ id }) => id === text.id)).toEqual([text]);
  });

  it('keeps the first text of an id', async () => {
    const id = `job-${randomUUID()}:0`;
    await quarantine().add({ id, text: 'first' });
    await quarantine().add({ id, text: 'second' });
    expect(await readTexts(id)).toEqual(['first']);
  });

  it('keeps one text of an id when several add one at once', async () => {
    const id = `job-${randomUUID()}:0`;
    const texts = ['a', 'b', 'c'];
    await Promise.all(texts.map((text) => quarantine().add({ id, text })));
    const stored = await readTexts(id);
    expect(stored).toHaveLength(1);
    expect(texts).toContain(stored[0]);
  });
});
