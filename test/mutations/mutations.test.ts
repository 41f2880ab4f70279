import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Watcher, watchers } from './mutation.ts';
import { allMutations, selectMutations } from './select-mutations.ts';

const root = new URL('../../', import.meta.url);

/** A change of the code that breaks a mutation fails here at once, not hours later in the mutation run. */
test.each(allMutations.filter((mutation) => mutation.by !== 'model'))(
  '$rule: the code to remove is in its file exactly once',
  async (mutation) => {
    for (const { file, from, to } of [mutation, ...(mutation.also ?? [])]) {
      const text = await readFile(new URL(file, root), 'utf8');
      expect(text.split(from)).toHaveLength(2);
      expect(to).not.toBe(from);
    }
  },
);

test.each(allMutations.filter((mutation) => mutation.by === 'servers'))(
  '$rule: the test file that must notice exists',
  async ({ noticedBy }) => {
    expect(await readFile(new URL(noticedBy, root), 'utf8')).toContain('expect');
  },
);

test('without arguments all rules are selected, with --by those of one watcher', () => {
  expect(selectMutations([]).mutations).toEqual(allMutations);
  const select = (by: Watcher) => selectMutations(['--by', by]).mutations;
  expect(watchers.flatMap(select)).toEqual(allMutations);
  for (const by of watchers) expect(new Set(select(by).map((mutation) => mutation.by))).toEqual(new Set([by]));
});

test('--only selects the rules whose text contains it, of each watcher', () => {
  const { mutations } = selectMutations(['--only', 'a delivery in the outbox is not applied again']);
  expect(mutations.map(({ by }) => by)).toEqual(watchers);
});

test.each([
  [['--by', 'magic'], '--by must be one of model, simulation, servers, not "magic"'],
  [['--by', ''], '--by must be one of model, simulation, servers, not ""'],
  [['--only', 'no such rule'], 'no rule contains "no such rule"'],
  [['--by', 'model', '--only', 'SQLite'], 'no rule of --by model contains "SQLite"'],
  [['--seeds', '0'], '--seeds must be a positive whole number, not "0"'],
  [['--seeds', '1e3'], '--seeds must be a positive whole number, not "1e3"'],
  [['--bye', 'model'], "Unknown option '--bye'"],
  [['model'], "Unexpected argument 'model'"],
])('%j is an error', (args, message) => {
  expect(() => selectMutations(args)).toThrow(message);
});
