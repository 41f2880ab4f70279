import { type HookKind, hookKinds } from '@widget-service/shared/domain/event-kind.ts';
import { toUtcTime } from '@widget-service/shared/domain/foreign-time.ts';
import { omitMembers } from '@widget-service/shared/domain/json.ts';
import { deriveWidgetId, parseUuid } from '@widget-service/shared/domain/uuid.ts';
import {
  type HookMapping,
  parsePointer,
  type TextFilter,
  type TextPlace,
  type TextPlaces,
} from '@widget-service/shared/entities/hook-mapping.ts';
import type { MistakePlace } from '../http/problem.ts';
import { findTimeMistake } from '../schemas/hook-event.ts';
import { readHeader, repeated, type SentRequest } from './sent-request.ts';
import { readObjectAt, readTextAt, type SourceDocument } from './source-document.ts';

/** The most characters of a text from which a mapping derives the id of a widget or a hook. */
const nameMaxLength = 1_024;

/** The members of a mapping, in the order in which they are read. */
type MappingStep = 'only' | 'kind' | 'occurredAt' | 'widgetId' | 'id' | 'payload';

/** One step of the mapping, for the preview: what was read, and what it became. */
interface MappedValue {
  readonly step: MappingStep;
  /** The text in the request. Null: there is none. */
  readonly read: string | null;
  /** Null: the hook has no such member, or the text is refused. */
  readonly became: string | null;
}

/** A hook as the interface describes it. */
export interface MappedHook {
  readonly kind: HookKind;
  /** RFC 3339 in UTC. */
  readonly occurredAt: string;
  readonly widgetId: string | null;
  /** Identifies repetitions of the hook. Null: its content does, with `deduplicateByContent`. */
  readonly id: string | null;
  /** The JSON of an object. */
  readonly payload: string | null;
}

export type MappingResult = { readonly values: readonly MappedValue[] } & (
  | { readonly outcome: 'hook'; readonly hook: MappedHook }
  | { readonly outcome: 'ignored'; readonly step: MappingStep }
  | { readonly outcome: 'refused'; readonly step: MappingStep; readonly reason: string; readonly place: MistakePlace }
);

export interface MappingInput {
  readonly mapping: HookMapping;
  readonly sent: SentRequest;
  readonly document: SourceDocument;
  /** Null before the integration is saved: then the widgets that it knows by name have no id yet. */
  readonly integrationId: string | null;
  /** The time of the arrival. */
  readonly now: Date;
}

/**
 * Makes a hook of a request of a foreign sender. It reads each place at most once, so its cost is bounded by the size
 * of the mapping and of the request. It throws nothing because of the request.
 */
export function mapHook(input: MappingInput): MappingResult {
  const values: MappedValue[] = [];
  try {
    return { outcome: 'hook', hook: mapMembers(input, values), values };
  } catch (error) {
    if (error instanceof IgnoredHook) return { outcome: 'ignored', step: error.step, values };
    if (!(error instanceof UnmappableHook)) throw error;
    const { step, message: reason, place, read } = error;
    values.push({ step, read, became: null });
    return { outcome: 'refused', step, reason, place, values };
  }
}

class IgnoredHook extends Error {
  readonly step: MappingStep;
  constructor(step: MappingStep) {
    super();
    this.step = step;
  }
}

class UnmappableHook extends Error {
  readonly step: MappingStep;
  readonly place: MistakePlace;
  readonly read: string | null;
  constructor(step: MappingStep, reason: string, place: TextPlaces | null, read: string | null = null) {
    super(reason);
    this.step = step;
    this.place = toMistakePlace(place);
    this.read = read;
  }
}

function toMistakePlace(place: TextPlaces | null): MistakePlace {
  const { all, header, from } = place ?? {};
  if (all !== undefined) return toMistakePlace(all[0] ?? null);
  return header === undefined ? { pointer: `#${encodeURI((from ?? '').toWellFormed())}` } : { header };
}

function mapMembers(input: MappingInput, values: MappedValue[]): MappedHook {
  const { mapping } = input;
  for (const filter of mapping.only) applyFilter(input, filter, values);
  const note = (step: MappingStep, read: string | null, became: string | null) => values.push({ step, read, became });
  const kind = mapKind(input, mapping.kind, note);
  const occurredAt = mapTime(input, mapping.occurredAt, note);
  const widgetId = mapping.widgetId === null ? null : mapWidgetId(input, mapping.widgetId, note);
  const id = mapping.id === null ? null : mapId(input, mapping.id, note);
  const payload = mapping.payload === null ? null : mapPayload(input, mapping.payload, note);
  return { kind, occurredAt, widgetId, id, payload };
}

type TimeMapping = HookMapping['occurredAt'];
type WidgetIdMapping = NonNullable<HookMapping['widgetId']>;
type Note = (step: MappingStep, read: string | null, became: string | null) => void;

function applyFilter(input: MappingInput, filter: TextFilter, values: MappedValue[]): void {
  const read = readText(input, 'only', filter);
  const isMatch = read !== null && filter.in.includes(read);
  values.push({ step: 'only', read, became: isMatch ? 'matches' : 'ignored' });
  if (!isMatch) throw new IgnoredHook('only');
}

/** Whether a request matches a filter. */
export function matchesFilter(input: PlaceInput, filter: TextFilter): boolean {
  const read = findText(input, filter, 'canonical');
  return typeof read === 'string' && filter.in.includes(read);
}

/** Returns the text at a place as it was sent, or null if there is none. */
export function readPlace(input: PlaceInput, place: TextPlace): string | null {
  const read = findText(input, place, 'as-sent');
  return typeof read === 'string' ? read : null;
}

type PlaceInput = Pick<MappingInput, 'sent' | 'document'>;

function mapKind(input: MappingInput, kind: HookMapping['kind'], note: Note): HookKind {
  const read = readText(input, 'kind', kind);
  const outcome = read === null ? kind.otherwise : toOutcome(read, kind);
  if (outcome === 'refuse') {
    throw new UnmappableHook('kind', read === null ? 'there is no text' : 'the text stands for no kind', kind, read);
  }
  note('kind', read, outcome);
  if (outcome === 'ignore') throw new IgnoredHook('kind');
  return outcome;
}

function toOutcome(text: string, { values, otherwise }: HookMapping['kind']) {
  const mapped = Object.hasOwn(values, text) ? values[text] : undefined;
  return mapped ?? hookKinds.find((kind) => kind === text) ?? otherwise;
}

function mapTime(input: MappingInput, { now, format, otherwise, ...place }: TimeMapping, note: Note): string {
  const arrivedAt = input.now.toISOString();
  const read = now === true ? null : readTexts(input, 'occurredAt', place);
  if (read === null) {
    if (now !== true && otherwise === 'refuse') throw new UnmappableHook('occurredAt', 'there is no text', place);
    note('occurredAt', null, arrivedAt);
    return arrivedAt;
  }
  const time = toUtcTime(read, format);
  if (time === null) throw new UnmappableHook('occurredAt', `the text is no time of the format ${format}`, place, read);
  const mistake = findTimeMistake(time, input.now.getTime());
  if (mistake !== null) throw new UnmappableHook('occurredAt', toPhrase(mistake.message), place, read);
  note('occurredAt', read, time);
  return time;
}

/** Makes a clause that begins with `it` of a sentence, without its period. */
function toPhrase(sentence: string): string {
  return `it ${sentence.charAt(0).toLowerCase()}${sentence.slice(1, -1)}`;
}

function mapWidgetId(input: MappingInput, { as, otherwise, ...place }: WidgetIdMapping, note: Note): string | null {
  const read = readTexts(input, 'widgetId', place);
  if (read === null) {
    if (otherwise === 'refuse') throw new UnmappableHook('widgetId', 'there is no text', place);
    note('widgetId', read, null);
    return null;
  }
  if (as === 'uuid') {
    const id = parseUuid(read);
    if (id === null) throw new UnmappableHook('widgetId', 'the text is no UUID', place, read);
    note('widgetId', read, id);
    return id;
  }
  requireShort('widgetId', read, place);
  const id = input.integrationId === null ? null : deriveWidgetId(input.integrationId, read);
  note('widgetId', read, id);
  return id;
}

function mapId(input: MappingInput, place: TextPlaces, note: Note): string {
  const read = readTexts(input, 'id', place);
  // Without an id, a repetition would be another event.
  if (read === null) throw new UnmappableHook('id', 'there is no text', place);
  requireShort('id', read, place);
  note('id', read, read);
  return read;
}

type PayloadMapping = NonNullable<HookMapping['payload']>;

function mapPayload({ document }: MappingInput, { from, without = [] }: PayloadMapping, note: Note): string | null {
  const object = readObjectAt(document, from);
  if (object === 'missing') throw new UnmappableHook('payload', 'there is nothing', { from });
  if (object === 'other') throw new UnmappableHook('payload', 'it is no object', { from });
  const paths = without.map((pointer) => parsePointer(pointer) ?? []);
  const payload = object === null ? null : omitMembers(object, paths);
  note('payload', object, payload);
  return payload;
}

function requireShort(step: MappingStep, text: string, place: TextPlaces): void {
  if (text.length <= nameMaxLength) return;
  throw new UnmappableHook(
    step,
    `the text has more than ${nameMaxLength} characters`,
    place,
    text.slice(0, nameMaxLength),
  );
}

/** Null if any of several places has no text. An empty text counts as none: it names nothing. */
function readTexts(input: MappingInput, step: MappingStep, place: TextPlaces): string | null {
  if (place.all === undefined) return readText(input, step, place) || null;
  const texts = place.all.map((one) => readText(input, step, one) || null);
  return texts.includes(null) ? null : JSON.stringify(texts);
}

function readText(input: MappingInput, step: MappingStep, place: TextPlace): string | null {
  const text = findText(input, place, 'canonical');
  if (typeof text === 'object') {
    if (text === null) return null;
    throw new UnmappableHook(step, text.mistake, place);
  }
  return text;
}

function findText({ sent, document }: PlaceInput, place: TextPlace, numbers: 'as-sent' | 'canonical') {
  if (place.value !== undefined) return place.value;
  if (place.header === undefined) {
    const text = readTextAt(document, place.from ?? '', numbers);
    return text === undefined ? { mistake: 'it is an object or an array, not a text' } : text;
  }
  const value = readHeader(sent, place.header);
  return value === repeated ? { mistake: 'the header is repeated' } : value;
}
