import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Database } from './database.ts';
import type { Link } from './link.ts';
import type { MemoryServer } from './memory-server.ts';
import { createSimulatedDeliveryLedger } from './simulated-delivery-ledger.ts';
import {
  createSimulatedQuarantine,
  createSimulatedRunRegistry,
  createSimulatedWidgetEffects,
  createSimulatedWidgetOutbox,
  createSimulatedWidgetStore,
  type SimulatedQuarantine,
} from './simulated-documents.ts';
import { openSimulatedEventLog, type SimulatedReplica } from './simulated-event-log.ts';
import { openSimulatedHookQueue } from './simulated-hook-queue.ts';

export interface SimulatedPortsOptions {
  readonly database: Database;
  readonly memory: MemoryServer;
  /** To the database and to the memory server. */
  readonly links: { readonly database: Link; readonly memory: Link };
  readonly replicas?: readonly SimulatedReplica[];
  readonly clock: Clock;
  /** Returns an id that was never returned before. */
  readonly createRandomId: () => string;
  readonly lockDurationMs: number;
  readonly stalledIntervalMs: number;
  readonly onWarning: (message: string) => void;
}

/** The ports of the data path, as one process has them. */
export type SimulatedPorts = Pick<
  Backend,
  | 'widgets'
  | 'effects'
  | 'outboxes'
  | 'ledger'
  | 'runs'
  | 'eventLog'
  | 'hookQueue'
  | 'removeExpired'
  | 'findMismatch'
  | 'close'
> & { readonly quarantine: SimulatedQuarantine };

export function openSimulatedPorts(options: SimulatedPortsOptions): SimulatedPorts {
  const { database, memory, links, createRandomId } = options;
  const eventLog = openSimulatedEventLog({
    ...options,
    server: memory,
    link: links.memory,
    createEpochId: createRandomId,
  });
  const hookQueue = openSimulatedHookQueue({
    ...options,
    server: memory,
    link: links.memory,
    createToken: createRandomId,
  });
  return {
    widgets: createSimulatedWidgetStore(database, links.database),
    effects: createSimulatedWidgetEffects(database, links.database),
    outboxes: createSimulatedWidgetOutbox(database, links.database),
    ledger: createSimulatedDeliveryLedger(database, links.database),
    quarantine: createSimulatedQuarantine(database, links.database),
    runs: createSimulatedRunRegistry(database, links.database),
    eventLog: eventLog.log,
    hookQueue: hookQueue.queue,
    removeExpired: async () => undefined,
    // MongoDB alone is never restored here.
    findMismatch: async () => null,
    close: async () => {
      await hookQueue.close();
      await eventLog.close();
    },
  };
}
