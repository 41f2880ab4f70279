import type { Schemas } from '../../../service/service.ts';

type Mapping = Schemas['NewHookMapping'];
type ShownMapping = Schemas['HookSource']['mapping'];
type Kind = NonNullable<Mapping['kind']['otherwise']>;
type Place = { from?: string; header?: string; value?: string };

/** The parts of a hook, in the order of the form. */
export const targets = ['kind', 'occurredAt', 'widgetId', 'id', 'payload', 'only'] as const;
export type Target = (typeof targets)[number];

export const kindOutcomes = ['created', 'updated', 'retired', 'ignore', 'refuse'] as const satisfies readonly Kind[];
export const timeFormats = ['rfc3339', 'unix-seconds', 'unix-milliseconds'] as const;

/** A mapping as people type it: a place is `/a/b`, `header: name` or `= text`. */
export interface MappingDraft {
  readonly kind: string;
  /** `text = kind` a line. */
  readonly kinds: string;
  readonly otherwise: Kind;
  readonly occurredAt: string;
  readonly format: (typeof timeFormats)[number];
  readonly timeOtherwise: 'now' | 'refuse';
  readonly widgetId: string;
  readonly widgetAs: 'uuid' | 'name';
  readonly widgetOtherwise: 'none' | 'refuse';
  readonly id: string;
  readonly payload: string;
  /** `place = text, text` a line. */
  readonly only: string;
}

export const emptyMapping: MappingDraft = {
  kind: '',
  kinds: '',
  otherwise: 'updated',
  occurredAt: '',
  format: 'rfc3339',
  timeOtherwise: 'refuse',
  widgetId: '',
  widgetAs: 'name',
  widgetOtherwise: 'refuse',
  id: '',
  payload: '',
  only: '',
};

/** Returns the mapping for the service, which says what is wrong with it. Null: there is no place for the kind. */
export function toMapping(draft: MappingDraft): Mapping | null {
  if (draft.kind.trim() === '') return null;
  const { occurredAt, widgetId, id, payload } = draft;
  return {
    ...(draft.only.trim() === '' ? {} : { only: listLines(draft.only).map(toFilter) }),
    kind: { ...toPlace(draft.kind), values: toValues(draft.kinds), otherwise: draft.otherwise },
    ...(occurredAt.trim() === '' ? {} : { occurredAt: toTime(draft) }),
    ...(widgetId.trim() === ''
      ? {}
      : { widgetId: { ...toPlaces(widgetId), as: draft.widgetAs, otherwise: draft.widgetOtherwise } }),
    ...(id.trim() === '' ? {} : { id: id.trim() === 'none' ? null : toPlaces(id) }),
    ...(payload.trim() === '' ? {} : { payload: payload.trim() === 'none' ? null : toPayload(payload.trim()) }),
  } as Mapping;
}

/** `/data without /key, /token` leaves out two members. */
function toPayload(text: string) {
  const [from = '', without] = ` ${text}`.split(' without /');
  if (without === undefined) return { from: from.trim() };
  return { from: from.trim(), without: `/${without}`.split(',').map((pointer) => pointer.trim()) };
}

function formatPayload({ from, without = [] }: NonNullable<ShownMapping['payload']>): string {
  return without.length === 0 ? from : `${from} without ${without.join(', ')}`.trim();
}

function toTime({ occurredAt, format, timeOtherwise }: MappingDraft) {
  return occurredAt.trim() === 'now' ? { now: true } : { ...toPlace(occurredAt), format, otherwise: timeOtherwise };
}

/** Several places are separated by ` + `. */
function toPlaces(text: string): Place | { all: Place[] } {
  const [first = '', ...rest] = text.split(' + ');
  return rest.length === 0 ? toPlace(first) : { all: [first, ...rest].map(toPlace) };
}

function toPlace(text: string): Place {
  const trimmed = text.trim();
  if (trimmed.startsWith('=')) return { value: trimmed.slice(1).trim() };
  const header = /^header\s*:(.*)$/i.exec(trimmed)?.[1];
  return header === undefined ? { from: trimmed } : { header: header.trim().toLowerCase() };
}

function toFilter(line: string) {
  const [place, texts] = splitAtEquals(line);
  return { ...toPlace(place), in: texts.split(',').map((text) => text.trim()) };
}

function toValues(text: string): Record<string, Kind> {
  return Object.fromEntries(listLines(text).map((line) => splitAtEquals(line) as [string, Kind]));
}

/** The last sign counts: a text of the sender may have one. */
function splitAtEquals(line: string): [string, string] {
  const at = line.lastIndexOf('=');
  return at === -1 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

function listLines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** The reverse of `toMapping`. */
export function toDraft({ only, kind, occurredAt, widgetId, id, payload }: ShownMapping): MappingDraft {
  return {
    kind: formatPlace(kind),
    kinds: Object.entries(kind.values)
      .map(([text, outcome]) => `${text} = ${outcome}`)
      .join('\n'),
    otherwise: kind.otherwise,
    occurredAt: occurredAt.now === true ? 'now' : formatPlace(occurredAt),
    format: timeFormats.find((format) => format === occurredAt.format) ?? 'rfc3339',
    timeOtherwise: occurredAt.otherwise === 'now' ? 'now' : 'refuse',
    widgetId: widgetId === null ? '' : formatPlaces(widgetId),
    widgetAs: widgetId?.as === 'uuid' ? 'uuid' : 'name',
    widgetOtherwise: widgetId?.otherwise === 'none' ? 'none' : 'refuse',
    id: id === null ? 'none' : formatPlaces(id),
    payload: payload === null ? 'none' : formatPayload(payload),
    only: only.map((filter) => `${formatPlace(filter)} = ${filter.in.join(', ')}`).join('\n'),
  };
}

function formatPlace({ from, header, value }: Place): string {
  if (header !== undefined) return `header: ${header}`;
  return from ?? `= ${value ?? ''}`;
}

function formatPlaces(places: Place & { all?: readonly Place[] }): string {
  return places.all === undefined ? formatPlace(places) : places.all.map(formatPlace).join(' + ');
}

/** Returns the draft in which a value of the request is used for a part of the hook. */
export function usePlace(draft: MappingDraft, target: Target, place: Place, text: string): MappingDraft {
  const formatted = formatPlace(place);
  if (target !== 'only') return { ...draft, [target]: formatted };
  return { ...draft, only: [...listLines(draft.only), `${formatted} = ${text}`].join('\n') };
}
