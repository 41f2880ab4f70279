import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { EventLog, EventTail } from '@widget-service/shared/ports/event-log.ts';
import { runLimits } from '@widget-service/shared/ports/run-registry.ts';
import { append, expireMarks, inspect, readAfter, readUpTo } from './event-stream.ts';
import type { Link } from './link.ts';
import { commandDeadlineMs, type MemoryServer } from './memory-server.ts';

const defaultRunAgeMaxMs = runLimits.maxAgeMs;
const tailBlockMs = 2_000;
const tailDeadlineMs = 5_000;

export interface SimulatedEventLogOptions {
  readonly server: MemoryServer;
  readonly link: Link;
  /** Returns an id that no other epoch has. */
  readonly createEpochId: () => string;
}

/** Returns the log, and a function that closes the tails that are still open. */
export function openSimulatedEventLog(options: SimulatedEventLogOptions): {
  log: EventLog;
  close: () => Promise<void>;
} {
  const { server, link, createEpochId } = options;
  const tails = new Set<EventTail>();
  const log: EventLog = {
    append: (run, recorded, events) => {
      const newEpoch = createEpochId();
      const { runAgeMaxMs = defaultRunAgeMaxMs } = server.options;
      return link.call('append', commandDeadlineMs, (send) =>
        send(() => {
          const { stream } = server.state;
          const { result, appended } = append(stream, server.nowMs, { run, recorded, events, newEpoch, runAgeMaxMs });
          if (appended.length > 0) {
            server.onAppend(appended);
            server.trim(recorded, { ageMs: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY });
            server.appended.notify();
          }
          return result;
        }),
      );
    },
    expireMarks: async (marks, run) => {
      if (marks.length === 0) return;
      const { runAgeMaxMs = defaultRunAgeMaxMs } = server.options;
      const latest = { run, runAgeMaxMs };
      await link.call('expireMarks', commandDeadlineMs, (send) =>
        send(() => server.onExpireMarks(expireMarks(server.state.stream, server.nowMs, marks, latest))),
      );
    },
    inspect: (position) =>
      link.call('inspect', commandDeadlineMs, (send) => send(() => inspect(server.state.stream, position))),
    readAfter: (after, limit) =>
      link.call('readAfter', commandDeadlineMs, (send) => send(() => readAfter(server.state.stream, after, limit))),
    readUpTo: (position, limit) =>
      link.call('readUpTo', commandDeadlineMs, (send) => send(() => readUpTo(server.state.stream, position, limit))),
    openTail: () => {
      const tail = openTail(server, link);
      tails.add(tail);
      return tail;
    },
    trim: (recorded) => link.call('trim', commandDeadlineMs, (send) => send(() => server.trim(recorded))),
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
      const options = { blockMs: tailBlockMs, deadlineMs: tailDeadlineMs, notifier: server.appended, signal };
      const poll = () => {
        const records = readAfter(server.state.stream, after, limit);
        return records.length === 0 ? null : records;
      };
      const records = signal.aborted ? null : await link.block('tail', options, poll);
      if (signal.aborted) throw new UnavailableError('event tail: closed');
      return records ?? [];
    },
    close: async () => closing.abort(),
  };
}
