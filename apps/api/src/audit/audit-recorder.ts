import type { AuditEvent } from '@widget-service/shared/domain/audit-event.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { AuditSampler, type SampledEvent } from './audit-sampler.ts';
import { AuditWriter, type AuditWriterDeps } from './audit-writer.ts';

export interface AuditRecorder {
  /**
   * Stores an event. Resolves once it is durable, or after `waitMs`, or when its first write has failed: then the
   * writer repeats the write in the background. Never rejects. For changes that took place.
   */
  write(event: AuditEvent, waitMs: number): Promise<void>;
  /** As `write`, but counts an event like one that was listed within the last minute (`AuditSampler`). */
  writeFirst(event: AuditEvent, waitMs: number): Promise<void>;
  /** Stores or counts an event in the background. For what callers can cause at will (see `AuditSampler`). */
  sample(event: SampledEvent): void;
  /** Writes what waits. Resolves within 2 s and never rejects. */
  close(): Promise<void>;
}

/** Creates the recorder of a process. */
export function createAuditRecorder(deps: AuditWriterDeps & { readonly clock: Clock }): AuditRecorder {
  const writer = new AuditWriter(deps);
  // Nobody waits for a sampled event.
  const list = (event: AuditEvent) => void writer.write(event, backgroundWaitMs);
  const sampler = new AuditSampler({ list, clock: deps.clock });
  return {
    write: (event, waitMs) => writer.write(event, waitMs),
    writeFirst: async (event, waitMs) => {
      if (!sampler.countRepetition(event)) await writer.write(event, waitMs);
    },
    sample: (event) => sampler.sample(event),
    close: () => {
      sampler.close();
      return writer.close();
    },
  };
}

const backgroundWaitMs = 10_000;
