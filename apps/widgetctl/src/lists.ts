import type { NumberedPage } from '@widget-service/client/requests/list-pages.ts';
import type { CommandDefinition, CommandInput } from './command.ts';
import type { CommandContext } from './command-context.ts';
import type { Column } from './output.ts';
import { readNumber } from './parse-command-line.ts';

/** Resolves with the first items, at most `limit`. It ends the reading then. */
export async function takeFirst<Item>(items: AsyncIterable<Item>, limit: number): Promise<Item[]> {
  const taken: Item[] = [];
  for await (const item of items) {
    if (taken.push(item) >= limit) break;
  }
  return taken;
}

/** How to read one list of the service that a time can cut. */
export interface TimedList<Item> {
  /** Reads a page, from 1, of the items before this time, or of all. */
  readonly readPage: (page: number, before: string | undefined) => Promise<NumberedPage<Item>>;
  readonly getId: (item: Item) => string;
  /** The time by which the list is ordered: RFC 3339 in UTC, to the millisecond. */
  readonly getTime: (item: Item) => string;
}

/**
 * Reads a list to its end, newest first, and yields each item once, also if newer ones arrive meanwhile.
 *
 * The service shows only the first 10 000 items of a list. So each page is the first page of a list of its own: of what
 * is not newer than the last item of the page before. Only within one millisecond the page numbers grow.
 */
export async function* readNewestFirst<Item>(
  { readPage, getId, getTime }: TimedList<Item>,
  before?: string,
): AsyncGenerator<Item, void, void> {
  const seen = new Set<string>();
  let [page, end] = [1, before];
  for (;;) {
    const { items, hasNext } = await readPage(page, end);
    for (const item of items) {
      if (seen.has(getId(item))) continue;
      seen.add(getId(item));
      yield item;
    }
    const last = items.at(-1);
    if (!hasNext || last === undefined) return;
    const nextEnd = new Date(Date.parse(getTime(last)) + 1).toISOString();
    page = nextEnd === end ? page + 1 : 1;
    end = nextEnd;
  }
}

export interface ListCommand<Row> extends Omit<CommandDefinition, 'run'> {
  /** Reads the rows in their order. The command ends the reading when it has enough. */
  readonly read: (context: CommandContext, input: CommandInput, limit: number) => AsyncIterable<Row>;
  readonly columns: readonly Column<Row>[];
}

/** Makes a command that prints a table: the first rows, as many as `--limit` allows. */
export function makeListCommand<Row>({ read, columns, options, ...definition }: ListCommand<Row>): CommandDefinition {
  return {
    ...definition,
    options: { ...options, limit: { value: 'N', text: 'At most so many. Default: 50.' } },
    async run(context, input) {
      const limit = readNumber(input, 'limit', 1) ?? 50;
      context.output.table(await takeFirst(read(context, input, limit), limit), columns);
    },
  };
}
