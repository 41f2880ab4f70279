import type { StreamOptions, StreamState } from '@widget-service/client/stream/read-stream.ts';
import { isWidgetEvent, type StreamEvent, type WidgetStreamEvent } from '@widget-service/client/stream/stream-event.ts';
import type { CommandContext, CommandDefinition, CommandInput } from '../command.ts';
import { type Output, toOneLine } from '../output.ts';
import { readNumber } from '../parse-command-line.ts';
import { openPositionFile } from '../position-file.ts';

const kinds = ['created', 'updated', 'retired'] as const;
const styles = { 'widget.created': 'green', 'widget.updated': 'cyan', 'widget.retired': 'magenta' } as const;

/** Follows a stream until Ctrl-C. It goes on through restarts of the service. */
const tail: CommandDefinition = {
  name: 'tail',
  summary: 'Print events as they come, until Ctrl-C.',
  options: {
    stream: { value: 'URL', text: 'The stream of a subscription. Default: all events, by your session.' },
    position: { value: 'FILE', text: 'Keep the position in a file, and go on there the next time.' },
    from: { value: 'POSITION', text: 'Where to begin: a position, or "earliest". Default: now.' },
    kind: { value: 'KIND', choices: kinds, isRepeated: true, text: 'Only events of this kind.' },
    widget: { value: 'ID', isRepeated: true, text: 'Only events of this widget.' },
    limit: { value: 'N', text: 'End after so many events.' },
  },
  async run(context, input) {
    const { client, output, signal } = context;
    const limit = readNumber(input, 'limit', 1) ?? Number.POSITIVE_INFINITY;
    const options = readOptions(context, input);
    const url = input.text('stream');
    const events = url === undefined ? client.streamOfSession(options) : client.stream(url, options);
    const isWanted = makeFilter(input);
    let printed = 0;
    try {
      for await (const event of events) {
        printed += printEvent(output, event, isWanted);
        if (printed < limit) continue;
        if (isWidgetEvent(event)) await options.positions?.save(event.position);
        return;
      }
    } catch (error) {
      // Ctrl-C is how people end it.
      if (!signal.aborted) throw error;
    }
  },
};

function readOptions({ output, signal }: CommandContext, input: CommandInput): StreamOptions {
  const file = input.text('position');
  const position = input.text('from');
  return {
    signal,
    onState: (state) => reportState(output, state),
    ...(file === undefined ? {} : { positions: openPositionFile(file) }),
    ...(position === undefined ? {} : { position }),
  };
}

function reportState(output: Output, state: StreamState): void {
  if (state.name !== 'waiting') return;
  const cause = state.cause instanceof Error ? ` (${state.cause.message})` : '';
  output.note(`The stream is interrupted${cause}. Connecting again in ${(state.delayMs / 1_000).toFixed(1)} s.`);
}

function makeFilter(input: CommandInput): (event: WidgetStreamEvent) => boolean {
  const wantedKinds = input.texts('kind').map((kind) => `widget.${kind}`);
  const wantedIds = input.texts('widget').map((id) => id.toLowerCase());
  return ({ type, subject }) =>
    (wantedKinds.length === 0 || wantedKinds.includes(type)) &&
    (wantedIds.length === 0 || (subject !== undefined && wantedIds.includes(subject)));
}

/** Returns how many events it has printed: 0 or 1. */
function printEvent(output: Output, event: StreamEvent, isWanted: (event: WidgetStreamEvent) => boolean): number {
  if (isWidgetEvent(event)) {
    if (!isWanted(event)) return 0;
    output.result(event, () => formatEvent(output, event));
    return 1;
  }
  if (event.type === 'stream.gap') {
    if (output.isJson) output.result(event, () => '');
    output.note(`Events are missing (${event.reason}). List the widgets again.`);
  }
  return 0;
}

function formatEvent(output: Output, { type, time, subject, data }: WidgetStreamEvent): string {
  const kind = type.slice('widget.'.length).padEnd('created'.length);
  const name = data.widget === null ? '' : `${toOneLine(data.widget.name)} v${data.widget.version}`;
  const labels = data.widget?.labels.map(toOneLine).join(', ') ?? '';
  const notes = [data.origin === 'hook' ? 'hook' : '', data.late ? 'late' : ''].filter((note) => note !== '');
  return [
    output.paint('dim', time),
    output.paint(styles[type], kind),
    output.paint('bold', name),
    labels === '' ? '' : `[${labels}]`,
    output.paint('dim', [subject ?? '', ...notes].join(' ')),
    data.payload === null ? '' : JSON.stringify(data.payload),
  ]
    .filter((part) => part !== '')
    .join('  ');
}

export const tailCommands = [tail];
