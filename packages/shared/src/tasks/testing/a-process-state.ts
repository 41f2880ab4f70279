import { randomUUID } from 'node:crypto';
import type { ProcessState } from '../../ports/process-states.ts';

/** A worker, unless `overrides` has a pod. */
export function aProcessState(overrides: Partial<ProcessState> = {}): ProcessState {
  const id = randomUUID();
  return {
    id,
    name: `host/${id}`,
    version: '0.1.0',
    startedAtMs: 1_000,
    notReady: [],
    pod: null,
    ...overrides,
  };
}

const noPoints = {
  hooksAccepted: [],
  hooksRefused: [],
  hooksFailed: [],
  eventsPublished: [],
  streamsOpen: [],
  personalStreamsOpen: [],
};

export function aPodState(pod: Partial<NonNullable<ProcessState['pod']>> = {}): ProcessState {
  return aProcessState({
    pod: {
      streamsOpen: 0,
      streamsMax: 100,
      isListCut: false,
      lagEvents: 0,
      hookFailure: null,
      isControlUnreachable: false,
      hour: { lastPoint: 0, ...noPoints },
      eventDelays: [],
      ...pod,
    },
  });
}
