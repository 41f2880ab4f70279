import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createHookSender, type HookEvent, type HookSender } from '@widget-service/client/hooks/hook-sender.ts';
import type { CommandContext, CommandDefinition, CommandInput } from '../command.ts';
import { describeFailure } from '../describe-failure.ts';
import { PartlyFailedError, UsageError } from '../exit-codes.ts';
import { readNumber } from '../parse-command-line.ts';

const kinds = ['created', 'updated', 'retired'] as const;

const destination = {
  to: { value: 'URL', text: 'The secret URL of the integration. Default: WIDGETCTL_HOOK_URL.' },
  secret: {
    value: 'SECRET',
    text: 'The signing secret, if the integration needs signatures. Default: WIDGETCTL_HOOK_SECRET.',
  },
};

const send: CommandDefinition = {
  name: 'hooks send',
  summary: 'Send one hook, and repeat it until the service has accepted it.',
  options: {
    ...destination,
    kind: { value: 'KIND', choices: kinds, text: 'What has happened. Default: updated.' },
    widget: { value: 'ID', text: 'The widget. May be left out with the kind "created".' },
    payload: { value: 'JSON', text: 'A JSON object, @FILE, or - for the standard input.' },
    'occurred-at': { value: 'TIME', text: 'When it has happened, in UTC. Default: now.' },
    id: { value: 'ID', text: 'Makes the hook unique: sent again, it is still one event. Default: a new one.' },
  },
  async run(context, input) {
    const widgetId = input.text('widget');
    const payload = await readPayload(context, input);
    const event = {
      kind: kinds.find((kind) => kind === input.text('kind')) ?? 'updated',
      occurredAt: input.text('occurred-at') ?? new Date().toISOString(),
      ...(widgetId === undefined ? {} : { widgetId }),
      ...(payload === undefined ? {} : { payload }),
    };
    const id = input.text('id') ?? randomUUID();
    const sender = openSender(context, input, 1);
    const { eventId } = await sender.send(event, { id });
    context.output.result({ id, eventId }, () => `Accepted as event ${eventId}.`);
  },
};

const replay: CommandDefinition = {
  name: 'hooks replay',
  parameters: ['FILE'],
  summary: 'Send the hooks of a file, one JSON object a line. Run again, it makes no event twice.',
  options: { ...destination, concurrency: { value: 'N', text: 'How many at the same time. Default: 8.' } },
  async run(context, input) {
    const [file = ''] = input.parameters;
    const hooks = parseHooks(file === '-' ? await context.readInput() : await readFile(file, 'utf8'));
    const sender = openSender(context, input, readNumber(input, 'concurrency', 1) ?? 8);
    let refused = 0;
    const sendOne = async ({ line, id, event }: FileHook) => {
      try {
        const { eventId } = await sender.send(event, { id });
        context.output.result({ line, id, eventId }, () => `line ${line}: accepted as event ${eventId}`);
      } catch (error) {
        if (context.signal.aborted) throw error;
        refused += 1;
        const reason = describeFailure(error, context.url).join(' ');
        context.output.result({ line, id, error: reason }, () => `line ${line}: ${reason}`);
      }
    };
    await Promise.all(hooks.map(sendOne));
    context.output.note(`${hooks.length - refused} accepted, ${refused} refused.`);
    if (refused > 0) throw new PartlyFailedError(`${refused} of ${hooks.length} hooks were refused.`);
  },
};

interface FileHook {
  readonly line: number;
  readonly id: string;
  readonly event: HookEvent;
}

/** Reads hooks from lines of JSON. Members that no hook has are left out, so lines of `deliveries get --json` will do. */
export function parseHooks(text: string): FileHook[] {
  const seen = new Map<string, number>();
  return text.split('\n').flatMap((json, index) => {
    if (json.trim() === '') return [];
    const line = index + 1;
    const { id, kind, occurredAt, widgetId, payload } = parseLine(json, line);
    const event = { kind, occurredAt, widgetId, payload } as HookEvent;
    // The same line makes the same id, in every run. The same line again in one file is another hook.
    const repetition = seen.get(json) ?? 0;
    seen.set(json, repetition + 1);
    const hash = createHash('sha256').update(`${repetition} ${json}`).digest('hex').slice(0, 32);
    return [{ line, id: typeof id === 'string' ? id : `replay-${hash}`, event }];
  });
}

function parseLine(json: string, line: number): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(json);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>;
  } catch {
    // The message below is clearer than that of the parser.
  }
  throw new UsageError(`Line ${line} is no JSON object. Nothing was sent.`);
}

function openSender({ environment, signal }: CommandContext, input: CommandInput, concurrency: number): HookSender {
  const url = input.text('to') ?? environment.WIDGETCTL_HOOK_URL;
  if (url === undefined) throw new UsageError('The URL of the integration is missing: --to or WIDGETCTL_HOOK_URL.');
  if (!URL.canParse(url)) throw new UsageError('The URL of the integration is no URL.');
  const secret = input.text('secret') ?? environment.WIDGETCTL_HOOK_SECRET;
  const options = { url, concurrency, maxQueued: Number.POSITIVE_INFINITY };
  const sender = createHookSender(secret === undefined ? options : { ...options, secret });
  signal.addEventListener('abort', () => sender.close(), { once: true });
  return sender;
}

async function readPayload({ readInput }: CommandContext, input: CommandInput) {
  const text = input.text('payload');
  if (text === undefined) return undefined;
  const json = text === '-' ? await readInput() : text.startsWith('@') ? await readFile(text.slice(1), 'utf8') : text;
  try {
    const parsed: unknown = JSON.parse(json);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>;
  } catch {
    // The message below is clearer than that of the parser.
  }
  throw new UsageError('--payload is no JSON object.');
}

export const hookCommands = [send, replay];
