import type { paths } from '@widget-service/client/interface.ts';
import { parseExactJson } from '@widget-service/client/json/exact-json.ts';
import { type Command, type Input, makeCommand, type OptionDefinition, type OptionRows } from './command-line.ts';
import type { Context } from './context.ts';
import { describeFailure, UsageError } from './failures.ts';
import type { Column } from './output.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** `GET /api/v1/widgets/{id}`: an operation of the service. */
export type Operation = {
  [Path in keyof paths]: {
    [Name in Method]: paths[Path] extends { [Each in Name]: object } ? `${Uppercase<Name>} ${Path}` : never;
  }[Method];
}[keyof paths];

interface Call {
  readonly operation: Operation;
  /** They fill the path, in their order. */
  readonly parameters: readonly string[];
  readonly query?: object;
  readonly body?: object | undefined;
}

/** Sends a request. Resolves with the answer, in which each number has all its digits. */
export async function call(context: Context, { operation, parameters, query, body }: Call): Promise<unknown> {
  const [method, path = ''] = operation.split(' ');
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const inPath = Object.fromEntries(names.map((name, index) => [name, parameters[index]]));
  if (Object.values(inPath).includes('')) throw new UsageError('An ID is empty.');
  const { [method as 'GET']: send } = context.openClient().api;
  const request = { params: { path: inPath, query }, body, parseAs: 'text' };
  const text = await (send as (path: string, request: object) => Promise<string | undefined>)(path, request);
  return text ? parseExactJson(text) : undefined;
}

/** Returns the members that the options stand for. */
function readMembers(rows: OptionRows, input: Input): Record<string, unknown> {
  const members = Object.entries(rows).flatMap(([key, row]) => {
    const [name = ''] = key.split(' ');
    const { member, min }: Partial<OptionDefinition> = typeof row === 'string' ? {} : row;
    if (member === undefined || !input.has(name)) return [];
    return [[member, min === undefined ? input.value(name) : input.number(name)]];
  });
  return Object.fromEntries(members);
}

export interface CallRow<Answer> {
  readonly options?: OptionRows;
  /** The members of the body that are no options. */
  readonly body?: (context: Context, input: Input) => object | Promise<object>;
  /** Shows these members of the answer. */
  readonly facts?: (answer: Answer) => readonly Column<Answer>[];
  /** Shows the answer in one line. */
  readonly line?: (answer: Answer) => string;
  /** Said at the end. */
  readonly note?: string;
}

/** Makes a command that calls one operation. */
export function makeCall<Answer extends object>(
  syntax: string,
  summary: string,
  operation: Operation,
  { options = {}, body, facts, line, note }: CallRow<Answer>,
): Command {
  return makeCommand(syntax, summary, options, async (context, input) => {
    const hasBody = /^P/.test(operation);
    const members = hasBody ? { ...readMembers(options, input), ...(await body?.(context, input)) } : undefined;
    const answer = (await call(context, { operation, parameters: input.parameters, body: members })) as Answer;
    if (facts !== undefined) context.output.facts(answer, facts(answer));
    if (line !== undefined) context.output.result(answer, line(answer));
    if (note !== undefined) context.output.note(note);
  });
}

/** How the service cuts a list: by a time in this member of the query, by the number of a page, or not at all. */
type Paging = 'createdBefore' | 'to' | 'page' | 'none';

interface Item {
  readonly id?: string;
  readonly eventId?: string;
  readonly createdAt?: string;
  readonly receivedAt?: string;
}

interface ListCall extends Pick<Call, 'operation' | 'parameters'> {
  readonly paging: Paging;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly pageSize?: number;
}

/**
 * Reads a list to its end, newest first, and yields each item once, also if newer ones arrive meanwhile.
 *
 * The service shows only the first 10 000 items of a list. So each page is the first page of a list of its own: of what
 * is not newer than the last item of the page before. Only within one millisecond the page numbers grow.
 */
export async function* readList<Row extends object>(context: Context, list: ListCall): AsyncGenerator<Row, void, void> {
  const { paging, query = {}, pageSize = 100, ...operation } = list;
  const seen = new Set<string | undefined>();
  let [page, end] = [1, query[paging]];
  for (;;) {
    const cut = paging === 'none' ? {} : { page, pageSize, ...(end === undefined ? {} : { [paging]: end }) };
    const answer = await call(context, { ...operation, query: { ...query, ...cut } });
    const { items, hasNext } = answer as { items: readonly Row[]; hasNext?: boolean };
    for (const item of items) {
      const { eventId, id = eventId }: Item = item;
      if (id !== undefined && seen.has(id)) continue;
      seen.add(id);
      yield item;
    }
    const last: Item | undefined = items.at(-1);
    if (!hasNext || last === undefined) return;
    const time = Date.parse(last.receivedAt ?? last.createdAt ?? '');
    const nextEnd = paging === 'page' ? end : new Date(time + 1).toISOString();
    page = nextEnd === end ? page + 1 : 1;
    end = nextEnd;
  }
}

export interface ListRow<Item> {
  readonly options?: OptionRows;
  readonly paging: Paging;
  /** Whether `--limit` cuts the list. By default it is printed to its end. */
  readonly hasLimit?: boolean;
  readonly columns: readonly Column<Item>[];
}

/** Makes a command that prints a list as a table. */
export function makeList<Item extends object>(
  syntax: string,
  summary: string,
  operation: Operation,
  { options = {}, paging, hasLimit, columns }: ListRow<Item>,
): Command {
  const limitRow = hasLimit && { 'limit N': { min: 1, text: 'At most so many. Default: 50.' } };
  return makeCommand(syntax, summary, { ...options, ...limitRow }, async (context, input) => {
    const limit = hasLimit ? (input.number('limit') ?? 50) : Number.POSITIVE_INFINITY;
    const [query, pageSize] = [readMembers(options, input), Math.min(limit, 100)];
    const items: Item[] = [];
    const list = { operation, paging, parameters: input.parameters, query, pageSize };
    for await (const item of readList<Item>(context, list)) {
      if (items.push(item) >= limit) break;
    }
    context.output.table(items, columns);
  });
}

/** Counts what the service has accepted and refused of many things, and prints a result for each. */
export class Tally {
  readonly #output: Context['output'];
  #accepted = 0;
  #refused = 0;

  constructor(output: Context['output']) {
    this.#output = output;
  }

  accept(result: object, text: string): void {
    this.#accepted += 1;
    this.#output.result(result, text);
  }

  refuse(result: object, what: string, error: unknown): void {
    this.#refused += 1;
    const reason = describeFailure(error).join(' ');
    this.#output.result({ ...result, error: reason }, `${what}: ${reason}`);
  }

  /** Throws if anything was refused. */
  end(nouns: string): void {
    this.summarize();
    const all = this.#accepted + this.#refused;
    if (this.#refused > 0) throw new Error(`${this.#refused} of ${all} ${nouns} were refused.`);
  }

  /** Says how many there were. */
  summarize(): void {
    this.#output.note(`${this.#accepted} accepted, ${this.#refused} refused.`);
  }

  get isEmpty(): boolean {
    return this.#accepted + this.#refused === 0;
  }
}
