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
import { runLimits } from '@widget-service/shared/ports/run-registry.ts';

/** The event log in Redis. Stored values are never changed in place, so a copy is cheap. */
export interface EventStream {
  meta: ComparablePosition | null;
  entries: readonly LogRecord[];
  /** Ids of a stream can only rise, even after it was emptied. */
  lastIdMs: number;
  /** The run numbers that show which runs are too old (see `log-functions.lua`). */
  runs: RunAges;
  readonly marks: Map<string, { readonly version: number; readonly expiresAtMs: number | null }>;
}

interface RunAges {
  readonly minRun: number;
  readonly checkpointRun: number | null;
  readonly checkpointMs: number;
  readonly highestRun: number;
  readonly highestRunMs: number;
}

export interface AppendArguments {
  readonly run: number;
  readonly recorded: ComparablePosition | null;
  readonly events: readonly LogAppend[];
  /** The id of the new epoch, if one starts. */
  readonly newEpoch: string;
  readonly runAgeMaxMs: number;
}

const markLifetimeMs = runLimits.markLifetimeMs;
const noRuns: RunAges = { minRun: 0, checkpointRun: null, checkpointMs: 0, highestRun: 0, highestRunMs: 0 };

export function createEventStream(): EventStream {
  return { meta: null, entries: [], lastIdMs: -1, runs: noRuns, marks: new Map() };
}

export function copyStream(stream: EventStream): EventStream {
  return { ...stream, marks: new Map(stream.marks) };
}

/**
 * Does what `append.lua` does, in one step. Throws `UnavailableError` for a run that is too old, and for one whose
 * number is too low to start an epoch.
 */
export function append(stream: EventStream, nowMs: number, args: AppendArguments) {
  const { run, recorded, events, newEpoch } = args;
  stream.runs = recordRun(stream.runs, nowMs, args);
  let startedNewEpoch = false;
  if (stream.meta === null || (stream.meta.epoch !== newEpoch && hasLostTail(stream, stream.meta, recorded))) {
    const highestEpochRun = Math.max(stream.meta?.epochRun ?? -1, recorded?.epochRun ?? -1);
    if (run <= highestEpochRun) throw new UnavailableError(`run ${run} cannot start an epoch after ${highestEpochRun}`);
    startedNewEpoch = stream.meta !== null || recorded !== null;
    stream.meta = { epoch: newEpoch, epochRun: run, ms: Math.max(nowMs, stream.lastIdMs + 1), seq: 0 };
    stream.entries = [];
  }
  const { epoch, epochRun, ms: lastMs } = stream.meta;
  const ms = Math.max(nowMs, lastMs);
  let { seq, ms: previousMs } = stream.meta;
  const appended: LogRecord[] = [];
  const positions = events.map(({ event, mark }): LogPosition | null => {
    if (!raiseMark(stream, nowMs, mark)) return null;
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

function recordRun(
  runs: RunAges,
  nowMs: number,
  { run, runAgeMaxMs }: Pick<AppendArguments, 'run' | 'runAgeMaxMs'>,
): RunAges {
  let { minRun, checkpointRun, checkpointMs } = runs;
  const { highestRun, highestRunMs } = runs;
  // Twice: after a long pause, the next checkpoint is old enough, too.
  for (let round = 0; round < 2; round += 1) {
    if (checkpointRun !== null && nowMs - checkpointMs >= runAgeMaxMs) {
      [minRun, checkpointRun, checkpointMs] = [checkpointRun, highestRun, highestRunMs];
    }
  }
  if (run < minRun) throw new UnavailableError(`run ${run} is too old: a higher run arrived long ago`);
  if (run <= highestRun) return { minRun, checkpointRun, checkpointMs, highestRun, highestRunMs };
  return {
    minRun,
    checkpointRun: checkpointRun ?? run,
    checkpointMs: checkpointRun === null ? nowMs : checkpointMs,
    highestRun: run,
    highestRunMs: nowMs,
  };
}

/** Returns whether the log must have held the recorded position and cannot have trimmed it: trimming stops there. */
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

/** Returns true for a new event, and marks it. */
function raiseMark(stream: EventStream, nowMs: number, mark: DedupeMark): boolean {
  const version = mark.kind === 'version' ? mark.version : 1;
  const markedVersion = readMark(stream, nowMs, mark);
  if (markedVersion !== null && version <= markedVersion) return false;
  stream.marks.set(toMarkKey(mark), { version, expiresAtMs: null });
  return true;
}

/** Does what `expire-marks.lua` does. Returns the marks that will expire. */
export function expireMarks(
  stream: EventStream,
  nowMs: number,
  marks: readonly DedupeMark[],
  latest: { readonly run: number; readonly runAgeMaxMs: number },
): DedupeMark[] {
  if (latest.run > stream.runs.highestRun) stream.runs = recordRun(stream.runs, nowMs, latest);
  return marks.filter((mark) => {
    const version = readMark(stream, nowMs, mark);
    if (version === null || (mark.kind === 'version' && version !== mark.version)) return false;
    stream.marks.set(toMarkKey(mark), { version, expiresAtMs: nowMs + markLifetimeMs });
    return true;
  });
}

function readMark(stream: EventStream, nowMs: number, mark: DedupeMark): number | null {
  const stored = stream.marks.get(toMarkKey(mark));
  if (stored === undefined || (stored.expiresAtMs !== null && stored.expiresAtMs <= nowMs)) return null;
  return stored.version;
}

function toMarkKey(mark: DedupeMark): string {
  return mark.kind === 'version' ? `widget ${mark.widgetId}` : `event ${mark.eventId}`;
}

/** Returns what `inspect.lua` returns. */
export function inspect(stream: EventStream, position: LogPosition | null) {
  if (stream.meta === null) return null;
  const { epoch, ms, seq } = stream.meta;
  const last = { epoch, ms, seq };
  const [first] = stream.entries;
  const oldest = first === undefined ? last : positionBefore(first);
  return { extent: { epoch, oldest, last }, contains: position?.epoch === epoch && contains(stream, position) };
}

/** Compares only the entries' ids, as reading a stream does. */
export function readAfter({ entries }: EventStream, after: LogPosition, limit: number): LogRecord[] {
  const from = entries.findIndex(({ ms, seq }) => ms > after.ms || (ms === after.ms && seq > after.seq));
  return from === -1 ? [] : entries.slice(from, from + limit);
}

/** Compares only the entries' ids, backwards from the position. */
export function readUpTo({ entries }: EventStream, position: LogPosition, limit: number): LogRecord[] {
  return entries.filter(({ ms, seq }) => ms < position.ms || (ms === position.ms && seq <= position.seq)).slice(-limit);
}

/** Does what `trim.lua` does, and `append.lua` at its end. Returns the dropped events. */
export function trim(
  stream: EventStream,
  nowMs: number,
  { count, ageMs, bytes }: EventRetention,
  recorded: ComparablePosition | null,
): LogRecord[] {
  const { meta } = stream;
  if (meta === null || recorded?.epoch !== meta.epoch || hasLostTail(stream, meta, recorded)) return [];
  let left = stream.entries.reduce((sum, { event }) => sum + estimateSize(event.json), 0);
  let dropped = 0;
  for (const { ms, seq, event } of stream.entries) {
    const isRetained = stream.entries.length - dropped <= count && ms >= nowMs - ageMs && left <= bytes;
    if (isRetained || seq > recorded.seq) break;
    left -= estimateSize(event.json);
    dropped += 1;
  }
  const gone = stream.entries.slice(0, dropped);
  stream.entries = stream.entries.slice(dropped);
  return gone;
}

function contains({ entries }: EventStream, { ms, seq }: LogPosition): boolean {
  return entries.some((entry) => entry.seq === seq && entry.ms === ms);
}

/** The JSON text and about as much as the other fields take. */
function estimateSize(json: string): number {
  return json.length + 100;
}
