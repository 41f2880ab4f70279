import { formatExactJson, parseExactObject } from '@widget-service/client/json/exact-json.ts';
import {
  type PositionStore,
  readStream,
  type StreamOptions,
  type StreamState,
} from '@widget-service/client/stream/read-stream.ts';
import { isWidgetEvent, type StreamEvent, type WidgetStreamEvent } from '@widget-service/client/stream/stream-event.ts';
import type { CommandDefinition, CommandInput } from '../command.ts';
import type { CommandContext } from '../command-context.ts';
import { describeFailure, formatSeconds, UsageError } from '../failures.ts';
import type { Output } from '../output.ts';
import { readNumber } from '../parse-command-line.ts';
import { joinTexts, type Text } from '../printer.ts';
import { describeFileError, fileExists, readFileText } from '../read-file.ts';
import { replaceFile } from '../replace-file.ts';

const kinds = ['created', 'updated', 'retired'] as const;
const styles = { 'widget.created': 'green', 'widget.updated': 'cyan', 'widget.retired': 'magenta' } as const;

/** Follows a stream until Ctrl-C. It goes on through restarts of the service. */
const tail: CommandDefinition = {
  name: 'tail',
  summary: 'Print events as they come, until Ctrl-C.',
  options: {
    stream: {
      value: 'URL',
      text: 'The secret URL of a subscription. Better: WIDGETCTL_STREAM_URL. Default: all events, by your session.',
    },
    position: { value: 'FILE', text: 'Keep the position in a file, and go on there the next time.' },
    from: { value: 'POSITION', text: 'Where to begin: a position, or "earliest". Default: now.' },
    kind: { value: 'KIND', choices: kinds, isRepeated: true, text: 'Only events of this kind.' },
    widget: { value: 'ID', isRepeated: true, text: 'Only events of this widget.' },
    limit: { value: 'N', text: 'End after so many events.' },
  },
  async run(context, input) {
    const { output } = context;
    const limit = readNumber(input, 'limit', 1) ?? Number.POSITIVE_INFINITY;
    const options = readOptions(context, input);
    const url = input.value('stream') ?? (await context.readSecret('WIDGETCTL_STREAM_URL'));
    const events =
      url === undefined
        ? context.client.streamOfSession(options)
        : readStream(url.trim(), { ...options, fetch: context.fetch });
    const isWanted = makeFilter(input);
    let printed = 0;
    for await (const event of events) {
      printed += printEvent(output, readExactly(event), isWanted);
      // The position moves when the next event is asked for: not before this one can no longer be lost.
      await output.written();
      if (printed < limit) continue;
      if (isWidgetEvent(event)) await options.positions?.save(event.position);
      return;
    }
  },
};

function readOptions({ output }: CommandContext, input: CommandInput): StreamOptions {
  const file = input.value('position');
  const position = input.value('from');
  return {
    onState: (state) => reportState(output, state),
    ...(file === undefined ? {} : { positions: openPositionFile(file) }),
    ...(position === undefined ? {} : { position }),
  };
}

function reportState(output: Output, state: StreamState): void {
  if (state.name !== 'waiting') return;
  const cause = state.cause instanceof Error ? describeFailure(state.cause)[0] : 'The stream has ended';
  output.note(`The stream is interrupted: ${cause}. Connecting again in ${formatSeconds(state.delayMs)}.`);
}

function makeFilter(input: CommandInput): (event: WidgetStreamEvent) => boolean {
  const wantedKinds = input.values('kind').map((kind) => `widget.${kind}`);
  const wantedIds = input.values('widget').map((id) => id.toLowerCase());
  return ({ type, subject }) =>
    (wantedKinds.length === 0 || wantedKinds.includes(type)) &&
    (wantedIds.length === 0 || (subject !== undefined && wantedIds.includes(subject)));
}

/** The event with every digit of the numbers in it. */
function readExactly<Event extends StreamEvent>(event: Event): Event {
  return { ...event, ...parseExactObject(event.json), type: event.type };
}

/** Returns how many events it has printed: 0 or 1. */
function printEvent(output: Output, event: StreamEvent, isWanted: (event: WidgetStreamEvent) => boolean): number {
  if (isWidgetEvent(event)) {
    if (!isWanted(event)) return 0;
    output.result(event, formatEvent);
    return 1;
  }
  if (event.type === 'stream.gap') {
    if (output.isJson) output.result(event, () => '');
    output.note(`Events are missing (${event.reason}). List the widgets again.`);
  }
  return 0;
}

function formatEvent({ type, time, subject, data }: WidgetStreamEvent): Text {
  const kind = type.slice('widget.'.length).padEnd('created'.length);
  const name = data.widget === null ? '' : `${data.widget.name} v${data.widget.version}`;
  const labels = data.widget?.labels.join(', ') ?? '';
  const notes = [data.origin === 'hook' ? 'hook' : '', data.late ? 'late' : ''].filter((note) => note !== '');
  return joinTexts(
    [
      { style: 'dim', text: time },
      { style: styles[type], text: kind },
      { style: 'bold', text: name },
      labels === '' ? '' : `[${labels}]`,
      { style: 'dim', text: [subject ?? '', ...notes].join(' ') },
      data.payload === null ? '' : formatExactJson(data.payload),
    ],
    '  ',
  );
}

export const tailCommands = [tail];

/** Keeps the position of a stream in a file, so that the next `tail` goes on there. */
function openPositionFile(path: string): PositionStore {
  return {
    load: async () => {
      // The first time. Anything else must not silently begin at the present.
      if (!(await fileExists(path))) return null;
      const position = (await readFileText(path)).trim();
      if (/[^\x21-\x7e]/.test(position))
        throw new UsageError(`${path}, line 1: it does not hold the position of a stream.`);
      return position === '' ? null : position;
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
