import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { processingRules } from './processing-rules.ts';
import { storeRules } from './store-rules.ts';
import { streamRules } from './stream-rules.ts';

const root = new URL('../../', import.meta.url);

/** A change of the code that breaks a mutation fails here at once, not hours later in the mutation run. */
test.each([...streamRules, ...processingRules, ...storeRules])(
  '$rule: the code to remove is in its file exactly once',
  async (mutation) => {
    for (const { file, from, to } of [mutation, ...(mutation.also ?? [])]) {
      const text = await readFile(new URL(file, root), 'utf8');
      expect(text.split(from)).toHaveLength(2);
      expect(to).not.toBe(from);
    }
  },
);

test.each(storeRules)('$rule: the test file that must notice exists', async ({ noticedBy }) => {
  expect(await readFile(new URL(noticedBy, root), 'utf8')).toContain('expect');
});
