import { randomUUID } from 'node:crypto';
import { parseExactObject } from '@widget-service/client/json/exact-json.ts';
import { BoundedTasks } from '../bounded-tasks.ts';
import type { CommandDefinition, CommandInput } from '../command.ts';
import type { CommandContext } from '../command-context.ts';
import { describeFailure, PartlyFailedError, UsageError } from '../failures.ts';
import { concernsAllHooks, destinationOptions, openSender } from '../hook-destination.ts';
import { type FileHook, parseHooks } from '../hook-lines.ts';
import { readNumber } from '../parse-command-line.ts';
import { readFileLines, readFileText } from '../read-file.ts';

const kinds = ['created', 'updated', 'retired'] as const;

const send: CommandDefinition = {
  name: 'hooks send',
  summary: 'Send one hook, and repeat it until the service has accepted it.',
  options: {
    ...destinationOptions,
    kind: { value: 'KIND', choices: kinds, text: 'What has happened. Default: updated.' },
    widget: { value: 'ID', text: 'The widget. May be left out with the kind "created".' },
    payload: { value: 'JSON', text: 'A JSON object, @FILE, or - for the standard input.' },
    'occurred-at': { value: 'TIME', text: 'When it has happened, in UTC. Default: now.' },
    id: { value: 'ID', text: 'Makes the hook unique: sent again, it is still one event. Default: a new one.' },
  },
  async run(context, input) {
    const widgetId = input.value('widget');
    const payload = await readPayload(context, input);
    const event = {
      kind: kinds.find((kind) => kind === input.value('kind')) ?? 'updated',
      occurredAt: input.value('occurred-at') ?? new Date().toISOString(),
      ...(widgetId === undefined ? {} : { widgetId }),
      ...(payload === undefined ? {} : { payload }),
    };
    const id = input.value('id') ?? randomUUID();
    const sender = await openSender(context, input, 1);
    const { eventId } = await sender.send(event, { id });
    context.output.result({ id, eventId }, () => `Accepted as event ${eventId}.`);
  },
};

/** So many hooks are read ahead of those that are sent: enough to find some of different widgets. */
const readAhead = 256;

const replay: CommandDefinition = {
  name: 'hooks replay',
  parameters: ['FILE'],
  summary: 'Send the hooks of a file, one JSON object a line. Run again, it makes no event twice.',
  options: {
    ...destinationOptions,
    concurrency: { value: 'N', text: 'How many at the same time. Default: 8.' },
    'as-new': { text: 'Also send deliveries that the service has had: each becomes one more event.' },
  },
  async run(context, input) {
    const [file = ''] = input.parameters;
    const { output } = context;
    const concurrency = readNumber(input, 'concurrency', 1) ?? 8;
    const sender = await openSender(context, input, concurrency);
    const counts = { accepted: 0, refused: 0 };
    const sendOne = async ({ line, id, event }: FileHook) => {
      try {
        const { eventId } = await sender.send(event, { id });
        counts.accepted += 1;
        output.result({ line, id, eventId }, () => `line ${line}: accepted as event ${eventId}`);
      } catch (error) {
        if (concernsAllHooks(error)) throw error;
        counts.refused += 1;
        const reason = describeFailure(error).join(' ');
        output.result({ line, id, error: reason }, () => `line ${line}: ${reason}`);
      }
    };
    const summarize = () => output.note(`${counts.accepted} accepted, ${counts.refused} refused.`);
    try {
      await sendAll(
        context,
        parseFile(context, file, input.has('as-new')),
        new BoundedTasks(readAhead + concurrency),
        sendOne,
      );
    } catch (error) {
      if (counts.accepted + counts.refused > 0) summarize();
      throw error;
    } finally {
      sender.close();
    }
    summarize();
    if (counts.refused > 0) {
      throw new PartlyFailedError(`${counts.refused} of ${counts.accepted + counts.refused} hooks were refused.`);
    }
  },
};

function parseFile(context: CommandContext, file: string, acceptsDeliveries: boolean): AsyncIterable<FileHook> {
  const [lines, source] = file === '-' ? [context.readInputLines(), 'the standard input'] : [readFileLines(file), file];
  return parseHooks(lines, source, acceptsDeliveries);
}

/** Reads the file while it sends, so neither its size nor the time to read it matters. */
async function sendAll(
  { output }: CommandContext,
  hooks: AsyncIterable<FileHook>,
  tasks: BoundedTasks,
  sendOne: (hook: FileHook) => Promise<void>,
): Promise<void> {
  try {
    for await (const hook of hooks) {
      await tasks.start(() => sendOne(hook));
      await output.written();
    }
  } catch (error) {
    // What was read before the mistake is sent.
    await tasks.idle();
    throw error;
  }
  await tasks.idle();
}

async function readPayload(context: CommandContext, input: CommandInput) {
  const text = input.value('payload');
  if (text === undefined) return undefined;
  const file = text.startsWith('@') ? text.slice(1) : null;
  const json = text === '-' ? await context.readInput() : file === null ? text : await readFileText(file);
  const payload = parseExactObject(json);
  if (payload === null) throw new UsageError(`--payload${file === null ? '' : `: ${file}`} is not a JSON object.`);
  return payload;
}

export const hookCommands = [send, replay];
