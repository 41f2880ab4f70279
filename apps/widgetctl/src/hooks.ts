import { createHash, randomUUID } from 'node:crypto';
import { createHookSender, type HookEvent, type HookSender } from '@widget-service/client/hooks/hook-sender.ts';
import { parseExactObject } from '@widget-service/client/json/exact-json.ts';
import { InvalidCallError, ProblemError } from '@widget-service/client/requests/failures.ts';
import { type Input, makeCommand } from './command-line.ts';
import type { Context } from './context.ts';
import { UsageError } from './failures.ts';
import { type Line, readLines, readText } from './files.ts';
import { Tally } from './operations.ts';

/** The options that name an integration. */
const destination = {
  'to URL': 'The secret URL of the integration. Better: WIDGETCTL_HOOK_URL.',
  'secret SECRET': 'The signing secret, if the integration needs signatures. Better: WIDGETCTL_HOOK_SECRET.',
};

/** Opens a sender to the integration that the options or the environment name. */
async function openSender(context: Context, input: Input, concurrency: number): Promise<HookSender> {
  const url = input.value('to') ?? (await context.readSecret('WIDGETCTL_HOOK_URL'));
  if (url === undefined) {
    throw new UsageError('The URL of the integration is missing: WIDGETCTL_HOOK_URL, WIDGETCTL_HOOK_URL_FILE or --to.');
  }
  const secret = input.value('secret') ?? (await context.readSecret('WIDGETCTL_HOOK_SECRET'));
  const options = { url: url.trim(), concurrency, fetch: context.fetch, onRetry: context.noteWait };
  return createHookSender(secret === undefined ? options : { ...options, secret: secret.trim() });
}

const send = makeCommand(
  'hooks send',
  'Send one hook, and repeat it until the service has accepted it.',
  {
    ...destination,
    'kind KIND': { choices: ['created', 'updated', 'retired'], text: 'What has happened. Default: updated.' },
    'widget ID': 'The widget. May be left out with the kind "created".',
    'payload JSON': 'A JSON object, @FILE, or - for the standard input.',
    'occurred-at TIME': 'When it has happened, in UTC. Default: now.',
    'id ID': 'Makes the hook unique: sent again, it is still one event. Default: a new one.',
  },
  async (context, input) => {
    const event = {
      kind: input.value('kind') ?? 'updated',
      occurredAt: input.value('occurred-at') ?? new Date().toISOString(),
      widgetId: input.value('widget'),
      payload: await readPayload(context, input.value('payload')),
    };
    const id = input.value('id') ?? randomUUID();
    const sender = await openSender(context, input, 1);
    const { eventId } = await sender.send(event as HookEvent, { id });
    context.output.result({ id, eventId }, `Accepted as event ${eventId}.`);
  },
);

async function readPayload(context: Context, given: string | undefined) {
  if (given === undefined) return undefined;
  const file = given.startsWith('@') ? given.slice(1) : null;
  const json = file === null && given !== '-' ? given : await readText(context.open(file ?? '-'));
  const payload = parseExactObject(json);
  if (payload === null) throw new UsageError(`--payload${file === null ? '' : `: ${file}`} is not a JSON object.`);
  return payload;
}

const replay = makeCommand(
  'hooks replay FILE',
  'Send the hooks of a file, one JSON object a line. Run again, it makes no event twice.',
  {
    ...destination,
    'concurrency N': { min: 1, text: 'How many at the same time. Default: 8.' },
    'as-new': 'Also send deliveries that the service has had: each becomes one more event.',
  },
  async (context, input) => {
    const { name, chunks } = context.open(input.parameters[0] ?? '');
    const concurrency = input.number('concurrency') ?? 8;
    const sender = await openSender(context, input, concurrency);
    const tally = new Tally(context.output);
    const hooks = parseHooks(readLines({ name, chunks }), name, input.has('as-new'));
    try {
      await sendAll(hooks, concurrency, async ({ line, id, event }) => {
        try {
          const { eventId } = await sender.send(event, { id });
          tally.accept({ line, id, eventId }, `line ${line}: accepted as event ${eventId}`);
        } catch (error) {
          if (concernsAllHooks(error)) throw error;
          tally.refuse({ line, id }, `line ${line}`, error);
        }
        await context.output.written();
      });
    } catch (error) {
      if (!tally.isEmpty) tally.summarize();
      throw error;
    } finally {
      sender.close();
    }
    tally.end('hooks');
  },
);

/** How many hooks are read ahead, to find hooks of different widgets that can be sent at the same time. */
const readAhead = 256;

/** Reads hooks while it sends them. What was read before a mistake is sent. Rejects with the first error. */
async function sendAll(
  hooks: AsyncIterable<FileHook>,
  concurrency: number,
  sendOne: (hook: FileHook) => Promise<void>,
): Promise<void> {
  let [running, wake] = [0, (): void => undefined];
  let failure: { readonly error: unknown } | undefined;
  const waitUntil = async (atMost: number) => {
    while (failure === undefined && running > atMost) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (failure !== undefined) throw failure.error;
  };
  const start = async (hook: FileHook) => {
    running += 1;
    await sendOne(hook).catch((error) => {
      failure ??= { error };
    });
    running -= 1;
    wake();
  };
  try {
    for await (const hook of hooks) {
      void start(hook);
      await waitUntil(readAhead + concurrency);
    }
  } finally {
    await waitUntil(0);
  }
}

const concernsAll: ReadonlySet<string> = new Set(['not-found', 'invalid-hook-token', 'invalid-hook-signature']);

/** Whether every other hook would fail in the same way, because the URL, the secret or what answers there is wrong. */
function concernsAllHooks(error: unknown): boolean {
  if (error instanceof ProblemError) return concernsAll.has(error.code);
  return !(error instanceof InvalidCallError);
}

/** A hook of a file. */
export interface FileHook {
  readonly line: number;
  readonly id: string;
  readonly event: HookEvent;
}

/**
 * Reads hooks from lines of JSON. Members that no hook has are ignored.
 *
 * A line of `deliveries get --json` does not say with which `webhook-id` it came, so it can only become a second event.
 * It is refused unless `acceptsDeliveries`.
 */
export async function* parseHooks(
  lines: AsyncIterable<Line>,
  source: string,
  acceptsDeliveries: boolean,
): AsyncGenerator<FileHook, void, void> {
  const repeated = new RepeatedLines();
  for await (const { number, text } of lines) {
    if (text.trim() === '') continue;
    const parsed = parseExactObject(text);
    if (parsed === null) throw new UsageError(`${source}, line ${number}: it is not a JSON object.`);
    const { id, eventId, kind, occurredAt, widgetId, payload } = parsed;
    const isDelivery = typeof id !== 'string' && typeof eventId === 'string';
    if (isDelivery && !acceptsDeliveries) {
      throw new UsageError(
        `${source}, line ${number}: it is a delivery, which the service has had. Sent again, it takes effect a second time. ` +
          'To process dead deliveries: widgetctl deliveries redrive. To send it as a new event: --as-new.',
      );
    }
    const event = { kind, occurredAt, widgetId, payload } as HookEvent;
    const ownId = isDelivery ? `replay-${eventId}` : id;
    yield { line: number, id: typeof ownId === 'string' ? ownId : makeId(text, repeated.count(text)), event };
  }
}

/** Derives an id from a line: the same in every run. `repetition` makes equal lines of one file different hooks. */
function makeId(text: string, repetition: number): string {
  return `replay-${createHash('sha256').update(`${repetition} ${text}`).digest('hex').slice(0, 32)}`;
}

/**
 * Counts how often each text has come. It keeps 64 bits of a hash of each in a hash table of numbers: a Map of ten
 * million texts would need more than a gigabyte.
 */
export class RepeatedLines {
  /** 0 is an empty place. */
  #hashes = new BigUint64Array(1_024);
  #used = 0;
  /** Only of texts that have come more than once. */
  readonly #repetitions = new Map<bigint, number>();

  /** Returns how often the text has come before. */
  count(text: string): number {
    const hash = createHash('sha256').update(text).digest().readBigUInt64LE() || 1n;
    if (this.#insert(hash)) return 0;
    const repetition = (this.#repetitions.get(hash) ?? 0) + 1;
    this.#repetitions.set(hash, repetition);
    return repetition;
  }

  /** Returns false if it is there already. */
  #insert(hash: bigint): boolean {
    if (this.#used * 2 > this.#hashes.length) {
      const old = this.#hashes;
      this.#hashes = new BigUint64Array(old.length * 2);
      this.#used = 0;
      for (const kept of old) if (kept !== 0n) this.#insert(kept);
    }
    const places = this.#hashes.length;
    let place = Number(hash % BigInt(places));
    for (; this.#hashes[place] !== 0n; place = (place + 1) % places) {
      if (this.#hashes[place] === hash) return false;
    }
    this.#hashes[place] = hash;
    this.#used += 1;
    return true;
  }
}

export const hookCommands = [send, replay];
