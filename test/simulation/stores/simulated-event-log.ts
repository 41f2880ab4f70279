import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { EventLog, EventTail } from '@widget-service/shared/ports/event-log.ts';
import { append, inspect, readAfter, readUpTo, settle } from './event-stream.ts';
import type { Link } from './link.ts';
import { commandDeadlineMs, type MemoryServer } from './memory-server.ts';

const defaultRunAgeMaxMs = 600_000;
const tailBlockMs = 2_000;
const tailDeadlineMs = 5_000;

export interface SimulatedEventLogOptions {
  readonly server: MemoryServer;
  readonly link: Link;
  /** A word that no other epoch has. */
  readonly createEpochWord: () => string;
}

/** The log, and what closes the tails that were left open. */
export function openSimulatedEventLog(options: SimulatedEventLogOptions): {
  log: EventLog;
  close: () => Promise<void>;
} {
  const { server, link, createEpochWord } = options;
  const tails = new Set<EventTail>();
  const log: EventLog = {
    append: (run, recorded, events) => {
      const word = createEpochWord();
      const { runAgeMaxMs = defaultRunAgeMaxMs } = server.options;
      return link.call('append', commandDeadlineMs, (ask) =>
        ask(() => {
          const { stream } = server.state;
          const { result, appended } = append(stream, server.nowMs, { run, recorded, events, word, runAgeMaxMs });
          if (appended.length > 0) {
            server.onAppend(appended);
            server.trim(recorded, { ageMs: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY });
            server.appended.ring();
          }
          return result;
        }),
      );
    },
    expireMarks: async (guards, run) => {
      if (guards.length === 0) return;
      const { runAgeMaxMs = defaultRunAgeMaxMs } = server.options;
      const latest = { run, runAgeMaxMs };
      await link.call('expireMarks', commandDeadlineMs, (ask) =>
        ask(() => server.onSettle(settle(server.state.stream, server.nowMs, guards, latest))),
      );
    },
    inspect: (position) =>
      link.call('inspect', commandDeadlineMs, (ask) => ask(() => inspect(server.state.stream, position))),
    readAfter: (after, limit) =>
      link.call('readAfter', commandDeadlineMs, (ask) => ask(() => readAfter(server.state.stream, after, limit))),
    readUpTo: (position, limit) =>
      link.call('readUpTo', commandDeadlineMs, (ask) => ask(() => readUpTo(server.state.stream, position, limit))),
    openTail: () => {
      const tail = openTail(server, link);
      tails.add(tail);
      return tail;
    },
    trim: (recorded) => link.call('trim', commandDeadlineMs, (ask) => ask(() => server.trim(recorded))),
  };
  return {
    log,
    close: async () => {
      for (const tail of tails) await tail.close();
    },
  };
}

function openTail(server: MemoryServer, link: Link): EventTail {
  const closing = new AbortController();
  const { signal } = closing;
  return {
    next: async (after, limit) => {
      const options = { blockMs: tailBlockMs, deadlineMs: tailDeadlineMs, bell: server.appended, signal };
      const look = () => {
        const records = readAfter(server.state.stream, after, limit);
        return records.length === 0 ? null : records;
      };
      const records = signal.aborted ? null : await link.block('tail', options, look);
      if (signal.aborted) throw new UnavailableError('event tail: closed');
      return records ?? [];
    },
    close: async () => closing.abort(),
  };
}
