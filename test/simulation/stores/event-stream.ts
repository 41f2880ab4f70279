import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { type LogPosition, positionBefore } from '@widget-service/shared/domain/log-position.ts';
import type {
  AppendResult,
  DedupeMark,
  EventRetention,
  LogAppend,
  LogRecord,
} from '@widget-service/shared/ports/event-log.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';

/** What Redis keeps of the event log; what is in it is never changed in place, so that a copy costs little. */
export interface EventStream {
  meta: ComparablePosition | null;
  entries: readonly LogRecord[];
  /** A stream's ids can only rise, also of one that was emptied. */
  lastIdMs: number;
  /** The numbers of runs by which one that is too old is told (see `append.lua`). */
  runs: RunMarks;
  readonly guards: Map<string, { readonly version: number; readonly expiresAtMs: number | null }>;
}

interface RunMarks {
  readonly past: number;
  readonly mark: number | null;
  readonly markMs: number;
  readonly newest: number;
  readonly newestMs: number;
}

export interface AppendArguments {
  readonly run: number;
  readonly recorded: ComparablePosition | null;
  readonly events: readonly LogAppend[];
  /** The word of a new epoch, should one begin. */
  readonly word: string;
  readonly runAgeMaxMs: number;
}

const settledGuardMs = 3_600_000;
const noRuns: RunMarks = { past: 0, mark: null, markMs: 0, newest: 0, newestMs: 0 };

export function emptyEventStream(): EventStream {
  return { meta: null, entries: [], lastIdMs: -1, runs: noRuns, guards: new Map() };
}

export function copyOfStream(stream: EventStream): EventStream {
  return { ...stream, guards: new Map(stream.guards) };
}

/** What the script `append.lua` does, in one step. Throws `UnavailableError` for a run that is too old. */
export function append(stream: EventStream, nowMs: number, args: AppendArguments) {
  const { run, recorded, events, word } = args;
  stream.runs = noteRun(stream.runs, nowMs, args);
  let startedNewEpoch = false;
  if (stream.meta === null || (stream.meta.epoch !== word && hasLostTail(stream, stream.meta, recorded))) {
    startedNewEpoch = stream.meta !== null || recorded !== null;
    stream.meta = { epoch: word, epochRun: run, ms: Math.max(nowMs, stream.lastIdMs + 1), seq: 0 };
    stream.entries = [];
  }
  const { epoch, epochRun, ms: lastMs } = stream.meta;
  const ms = Math.max(nowMs, lastMs);
  let { seq, ms: previousMs } = stream.meta;
  const appended: LogRecord[] = [];
  const positions = events.map(({ event, mark }): LogPosition | null => {
    if (!raise(stream, nowMs, mark)) return null;
    seq += 1;
    appended.push({ epoch, ms, seq, previousMs, event });
    previousMs = ms;
    return { epoch, ms, seq };
  });
  if (appended.length > 0) {
    stream.meta = { epoch, epochRun, ms, seq };
    stream.lastIdMs = ms;
    stream.entries = [...stream.entries, ...appended];
  }
  const result: AppendResult = { positions, last: stream.meta, startedNewEpoch };
  return { result, appended };
}

function noteRun(
  runs: RunMarks,
  nowMs: number,
  { run, runAgeMaxMs }: Pick<AppendArguments, 'run' | 'runAgeMaxMs'>,
): RunMarks {
  let { past, mark, markMs } = runs;
  const { newest, newestMs } = runs;
  for (let turn = 0; turn < 2; turn += 1) {
    if (mark !== null && nowMs - markMs >= runAgeMaxMs) [past, mark, markMs] = [mark, newest, newestMs];
  }
  if (run < past) throw new UnavailableError('a run with a higher number was here long ago');
  if (run <= newest) return { past, mark, markMs, newest, newestMs };
  return { past, mark: mark ?? run, markMs: mark === null ? nowMs : markMs, newest: run, newestMs: nowMs };
}

/** True when the log must have held the recorded position and cannot have dropped it by trimming, which stops there. */
function hasLostTail(stream: EventStream, last: ComparablePosition, recorded: ComparablePosition | null): boolean {
  if (recorded === null) return false;
  if (recorded.epoch !== last.epoch) return recorded.epochRun >= last.epochRun;
  if (recorded.ms > last.ms || recorded.seq > last.seq) return true;
  if (recorded.seq === last.seq) return recorded.ms !== last.ms;
  const [first] = stream.entries;
  if (first === undefined) return false;
  const oldest = positionBefore(first);
  if (recorded.seq === oldest.seq) return recorded.ms !== oldest.ms;
  if (recorded.ms <= oldest.ms && recorded.seq < oldest.seq) return false;
  return !contains(stream, recorded);
}

/** True when the event is new, and from then on false. */
function raise(stream: EventStream, nowMs: number, guard: DedupeMark): boolean {
  const version = guard.kind === 'version' ? guard.version : 1;
  const mark = guardOf(stream, nowMs, guard);
  if (mark !== null && version <= mark) return false;
  stream.guards.set(keyOf(guard), { version, expiresAtMs: null });
  return true;
}

/** What the script `settle.lua` does. Returns the guards that are to expire. */
export function settle(
  stream: EventStream,
  nowMs: number,
  guards: readonly DedupeMark[],
  latest: { readonly run: number; readonly runAgeMaxMs: number },
): DedupeMark[] {
  if (latest.run > stream.runs.newest) stream.runs = noteRun(stream.runs, nowMs, latest);
  return guards.filter((guard) => {
    const mark = guardOf(stream, nowMs, guard);
    if (mark === null || (guard.kind === 'version' && mark !== guard.version)) return false;
    stream.guards.set(keyOf(guard), { version: mark, expiresAtMs: nowMs + settledGuardMs });
    return true;
  });
}

function guardOf(stream: EventStream, nowMs: number, guard: DedupeMark): number | null {
  const mark = stream.guards.get(keyOf(guard));
  if (mark === undefined || (mark.expiresAtMs !== null && mark.expiresAtMs <= nowMs)) return null;
  return mark.version;
}

function keyOf(guard: DedupeMark): string {
  return guard.kind === 'version' ? `widget ${guard.widgetId}` : `event ${guard.eventId}`;
}

/** What the script `inspect.lua` tells. */
export function inspect(stream: EventStream, position: LogPosition | null) {
  if (stream.meta === null) return null;
  const { epoch, ms, seq } = stream.meta;
  const last = { epoch, ms, seq };
  const [first] = stream.entries;
  const oldest = first === undefined ? last : positionBefore(first);
  return { extent: { epoch, oldest, last }, contains: position?.epoch === epoch && contains(stream, position) };
}

/** By the entries' ids alone, as a stream is read. */
export function readAfter({ entries }: EventStream, after: LogPosition, limit: number): LogRecord[] {
  const from = entries.findIndex(({ ms, seq }) => ms > after.ms || (ms === after.ms && seq > after.seq));
  return from === -1 ? [] : entries.slice(from, from + limit);
}

/** By the entries' ids alone, from that one back. */
export function readUpTo({ entries }: EventStream, position: LogPosition, limit: number): LogRecord[] {
  return entries.filter(({ ms, seq }) => ms < position.ms || (ms === position.ms && seq <= position.seq)).slice(-limit);
}

/** What the script `trim.lua` does, and `append.lua` at its end. Returns what was dropped. */
export function trim(
  stream: EventStream,
  nowMs: number,
  { count, ageMs, bytes }: EventRetention,
  recorded: ComparablePosition | null,
): LogRecord[] {
  const { meta } = stream;
  if (meta === null || recorded?.epoch !== meta.epoch || hasLostTail(stream, meta, recorded)) return [];
  let left = stream.entries.reduce((sum, { event }) => sum + sizeOf(event.json), 0);
  let dropped = 0;
  for (const { ms, seq, event } of stream.entries) {
    const isRetained = stream.entries.length - dropped <= count && ms >= nowMs - ageMs && left <= bytes;
    if (isRetained || seq > recorded.seq) break;
    left -= sizeOf(event.json);
    dropped += 1;
  }
  const gone = stream.entries.slice(0, dropped);
  stream.entries = stream.entries.slice(dropped);
  return gone;
}

function contains({ entries }: EventStream, { ms, seq }: LogPosition): boolean {
  return entries.some((entry) => entry.seq === seq && entry.ms === ms);
}

/** The JSON and about as much as the other fields take. */
function sizeOf(json: string): number {
  return json.length + 100;
}
