import { randomUUID } from 'node:crypto';
import type { QuarantinedText } from '@widget-service/shared/ports/quarantine-store.ts';
import { describe, expect, test } from 'vitest';
import { aQuarantinedText, awkwardPayload, awkwardTexts } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

const testBackend = await openSharedBackend();
const quarantine = () => testBackend.backend.quarantine;

async function addOne(overrides: Partial<QuarantinedText> = {}): Promise<QuarantinedText> {
  const text = aQuarantinedText(overrides);
  await quarantine().add(text);
  return text;
}

function toRow({ text, ...members }: QuarantinedText) {
  return { ...members, sizeBytes: Buffer.byteLength(text) };
}

describe('QuarantineStore.add', () => {
  test('keeps every text unchanged across a reopen', async () => {
    const texts: QuarantinedText[] = [];
    for (const text of ['', awkwardPayload, ...awkwardTexts, '{"half of a']) texts.push(await addOne({ text }));
    await testBackend.reopen();
    for (const text of texts) {
      expect(await quarantine().get(text.id)).toMatchObject({ ...text, text: text.text });
    }
  });

  test('keeps the first text of an id', async () => {
    const { id } = await addOne({ text: 'first' });
    await addOne({ id, text: 'second' });
    expect(await quarantine().get(id)).toMatchObject({ text: 'first' });
  });

  test('keeps one text of an id when several add one at once', async () => {
    const id = randomUUID();
    const texts = ['a', 'b', 'c'];
    const before = await quarantine().count(10_000);
    await Promise.all(texts.map((text) => addOne({ id, text })));
    expect(await quarantine().count(10_000)).toBe(before + 1);
    expect(texts).toContain((await quarantine().get(id))?.text);
  });
});

describe('QuarantineStore.get', () => {
  test('returns the text with its origin, and its size in UTF-8', async () => {
    const text = await addOne({ reason: 'store-refused', integrationId: randomUUID(), text: 'größer' });
    expect(await quarantine().get(text.id)).toEqual({ ...text, sizeBytes: 8 });
  });

  test('returns null for an unknown id', async () => {
    expect(await quarantine().get(randomUUID())).toBeNull();
    expect(await quarantine().get('job-1:0')).toBeNull();
  });
});

describe('QuarantineStore.list', () => {
  test('has the newest first, and of the same time the highest id, page by page and without texts', async () => {
    const at = (ms: number) => new Date(Date.UTC(2099, 0, 1) + ms);
    const texts = [
      await addOne({ quarantinedAt: at(3) }),
      await addOne({ quarantinedAt: at(2), id: `f${randomUUID().slice(1)}` }),
      await addOne({ quarantinedAt: at(2), id: `0${randomUUID().slice(1)}`, integrationId: null }),
      await addOne({ quarantinedAt: at(1) }),
    ];
    expect(await quarantine().list({ offset: 0, limit: 4 })).toEqual(texts.map(toRow));
    expect(await quarantine().list({ offset: 1, limit: 2 })).toEqual(texts.slice(1, 3).map(toRow));
    expect(await quarantine().count(3)).toBe(3);
    expect(await quarantine().list({ offset: 10_000, limit: 2 })).toEqual([]);
  });
});

describe('QuarantineStore.discard', () => {
  test('removes the text for good, and says what it was', async () => {
    const [text, other] = [await addOne(), await addOne()];
    const before = await quarantine().count(10_000);
    expect(await quarantine().discard(text.id)).toEqual(toRow(text));
    await testBackend.reopen();
    expect(await quarantine().get(text.id)).toBeNull();
    expect(await quarantine().discard(text.id)).toBeNull();
    expect(await quarantine().count(10_000)).toBe(before - 1);
    expect(await quarantine().get(other.id)).toMatchObject({ text: other.text });
  });
});
