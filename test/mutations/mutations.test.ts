import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { clusterRules } from './cluster-rules.ts';
import { processingRules } from './processing-rules.ts';
import { streamRules } from './stream-rules.ts';

const root = new URL('../../', import.meta.url);

/** Whoever changes the code sees at once that a rule must be taken out in another way, not hours later. */
test.each([...streamRules, ...processingRules, ...clusterRules])(
  '$rule: the code that keeps it is where it is looked for',
  async (mutation) => {
    for (const { file, from, to } of [mutation, ...(mutation.also ?? [])]) {
      const text = await readFile(new URL(file, root), 'utf8');
      expect(text.split(from)).toHaveLength(2);
      expect(to).not.toBe(from);
    }
  },
);

test.each(clusterRules)('$rule: the tests that are to notice are there', async ({ noticedBy }) => {
  expect(await readFile(new URL(noticedBy, root), 'utf8')).toContain('expect');
});
