import { formatExactJson, parseExactObject } from '@widget-service/client/json/exact-json.ts';
import { type PositionStore, readStream, type StreamState } from '@widget-service/client/stream/read-stream.ts';
import { isWidgetEvent, type StreamEvent, type WidgetStreamEvent } from '@widget-service/client/stream/stream-event.ts';
import { type Input, makeCommand } from './command-line.ts';
import { describeFailure, formatSeconds, UsageError } from './failures.ts';
import { describeFileError, readOptionalFile, replaceFile } from './files.ts';
import type { Output, Part } from './output.ts';

const styles = { 'widget.created': 'green', 'widget.updated': 'cyan', 'widget.retired': 'magenta' } as const;

/** Follows a stream until Ctrl-C. It goes on through restarts of the service. */
export const tail = makeCommand(
  'tail',
  'Print events as they come, until Ctrl-C.',
  {
    'stream URL':
      'The secret URL of a subscription. Better: WIDGETCTL_STREAM_URL. Default: all events, by your session.',
    'position FILE': 'Keep the position in a file, and go on there the next time.',
    'from POSITION': 'Where to begin: a position, or "earliest". Default: now.',
    'kind KIND': { choices: ['created', 'updated', 'retired'], isRepeated: true, text: 'Only events of this kind.' },
    'widget ID': { isRepeated: true, text: 'Only events of this widget.' },
    'limit N': { min: 1, text: 'End after so many events.' },
  },
  async (context, input) => {
    const { output } = context;
    const file = input.value('position');
    const positions = file === undefined ? undefined : openPositionFile(file);
    const options = {
      onState: (state: StreamState) => reportState(output, state),
      position: input.value('from') ?? null,
      ...(positions && { positions }),
    };
    const url = input.value('stream') ?? (await context.readSecret('WIDGETCTL_STREAM_URL'));
    const events =
      url === undefined
        ? context.openClient().streamOfSession(options)
        : readStream(url.trim(), { ...options, fetch: context.fetch });
    let missing = input.number('limit') ?? Number.POSITIVE_INFINITY;
    for await (const event of events) {
      if (isWidgetEvent(event) && isWanted(event, input)) {
        const exact = readExactly(event);
        output.result(exact, ...formatEvent(exact));
        missing -= 1;
      } else if (event.type === 'stream.gap') {
        if (output.isJson) output.result(readExactly(event));
        output.note(`Events are missing (${event.reason}). List the widgets again.`);
      }
      // Waits, because the position moves on when the next event is requested: by then this event must be written.
      await output.written();
      if (missing > 0) continue;
      if (isWidgetEvent(event)) await positions?.save(event.position);
      return;
    }
  },
);

function reportState(output: Output, state: StreamState): void {
  if (state.name !== 'waiting') return;
  const cause = state.cause instanceof Error ? describeFailure(state.cause)[0] : 'The stream has ended';
  output.note(`The stream is interrupted: ${cause}. Connecting again in ${formatSeconds(state.delayMs)}.`);
}

function isWanted({ type, subject = '' }: WidgetStreamEvent, input: Input): boolean {
  const [kinds, ids] = [input.values('kind'), input.values('widget')];
  return (
    (kinds.length === 0 || kinds.some((kind) => type === `widget.${kind}`)) &&
    (ids.length === 0 || ids.some((id) => id.toLowerCase() === subject))
  );
}

/** The event with every digit of the numbers in it. */
function readExactly<Event extends StreamEvent>(event: Event): Event {
  return { ...event, ...parseExactObject(event.json), type: event.type };
}

function formatEvent({ type, time, subject, data }: WidgetStreamEvent): Part[] {
  const labels = data.widget?.labels.join(', ') ?? '';
  const notes = [subject, data.origin === 'hook' ? 'hook' : '', data.late ? 'late' : ''].filter(Boolean);
  const parts: Part[] = [
    { style: 'dim', text: time },
    { style: styles[type], text: type.slice('widget.'.length).padEnd('created'.length) },
    { style: 'bold', text: data.widget === null ? '' : `${data.widget.name} v${data.widget.version}` },
    { text: labels && `[${labels}]` },
    { style: 'dim', text: notes.join(' ') },
    { text: data.payload === null ? '' : formatExactJson(data.payload) },
  ];
  return parts.filter(({ text }) => text !== '');
}

/** Keeps the position of a stream in a file, so that the next `tail` goes on there. */
function openPositionFile(path: string): PositionStore {
  return {
    load: async () => {
      // Null the first time. Anything else must not silently begin at the present.
      const position = (await readOptionalFile(path))?.trim() ?? '';
      if (/[^\x21-\x7e]/.test(position))
        throw new UsageError(`${path}, line 1: it does not hold the position of a stream.`);
      return position || null;
    },
    save: (position) => {
      try {
        replaceFile(path, `${position}\n`, 0o666);
      } catch (error) {
        throw new Error(`The position cannot be kept in ${path}: ${describeFileError(error)}`);
      }
    },
  };
}
