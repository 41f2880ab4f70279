import { ReplicaTail } from '@widget-service/cluster/redis/replica-tail.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { EventLog, EventTail } from '@widget-service/shared/ports/event-log.ts';
import { runLimits } from '@widget-service/shared/ports/run-registry.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { append, type EventStream, expireMarks, inspect, readAfter, readUpTo } from './event-stream.ts';
import type { Link, Notifier } from './link.ts';
import type { MemoryReplica } from './memory-replica.ts';
import { commandDeadlineMs, type MemoryServer } from './memory-server.ts';

const defaultRunAgeMaxMs = runLimits.maxAgeMs;
const tailBlockMs = 2_000;
const tailDeadlineMs = 5_000;

export interface SimulatedReplica {
  readonly replica: MemoryReplica;
  readonly link: Link;
}

export interface SimulatedEventLogOptions {
  readonly server: MemoryServer;
  readonly link: Link;
  /** Replicas from which tails read. Empty: they read from the server. */
  readonly replicas?: readonly SimulatedReplica[];
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
  /** Returns an id that no other epoch has. */
  readonly createEpochId: () => string;
}

/** Returns the log, and a function that closes the tails that are still open. */
export function openSimulatedEventLog(options: SimulatedEventLogOptions): {
  log: EventLog;
  close: () => Promise<void>;
} {
  const { server, link, createEpochId, replicas = [], clock, onWarning } = options;
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
          server.onChange();
          return result;
        }),
      );
    },
    expireMarks: async (marks, run) => {
      if (marks.length === 0) return;
      const { runAgeMaxMs = defaultRunAgeMaxMs } = server.options;
      const latest = { run, runAgeMaxMs };
      await link.call('expireMarks', commandDeadlineMs, (send) =>
        send(() => {
          server.onExpireMarks(expireMarks(server.state.stream, server.nowMs, marks, latest));
          server.onChange();
        }),
      );
    },
    inspect: (position) =>
      link.call('inspect', commandDeadlineMs, (send) => send(() => inspect(server.state.stream, position))),
    readAfter: (after, limit) =>
      link.call('readAfter', commandDeadlineMs, (send) => send(() => readAfter(server.state.stream, after, limit))),
    readUpTo: (position, limit) =>
      link.call('readUpTo', commandDeadlineMs, (send) => send(() => readUpTo(server.state.stream, position, limit))),
    openTail: () => {
      const openPrimary = () => openTail(() => server.state.stream, server.appended, link);
      const openReplica = (index: number) => {
        const { replica, link: replicaLink } = replicas[index] as SimulatedReplica;
        return openTail(() => replica.log.stream, replica.appended, replicaLink);
      };
      const readEnd = async () => (await log.inspect(null))?.extent.last ?? null;
      const tail =
        replicas.length === 0
          ? openPrimary()
          : new ReplicaTail({ openPrimary, openReplica, replicaCount: replicas.length, readEnd, clock, onWarning });
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

function openTail(readStream: () => EventStream, appended: Notifier, link: Link): EventTail {
  const closing = new AbortController();
  const { signal } = closing;
  return {
    next: async (after, limit) => {
      const options = { blockMs: tailBlockMs, deadlineMs: tailDeadlineMs, notifier: appended, signal };
      const poll = () => {
        const records = readAfter(readStream(), after, limit);
        return records.length === 0 ? null : records;
      };
      const records = signal.aborted ? null : await link.block('tail', options, poll);
      if (signal.aborted) throw new UnavailableError('event tail: closed');
      return records ?? [];
    },
    close: async () => closing.abort(),
  };
}
