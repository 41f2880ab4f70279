import { z } from 'zod';
import { tryParseJson } from '../domain/json.ts';

const version = 1;

const workerState = z.object({
  name: z.string(),
  version: z.string(),
  startedAtMs: z.number(),
  notReady: z.array(z.string()),
});
const answer = z.object({ version: z.literal(version), worker: workerState });

/** A worker, as it describes itself. `notReady`: why it is not ready; empty if it is. */
export type WorkerState = Readonly<z.infer<typeof workerState>>;

/** The question that every worker answers with its state. */
export const workerStateQuestion = JSON.stringify({ version, kind: 'worker-state' });

export function serializeWorkerState(worker: WorkerState): string {
  return JSON.stringify({ version, worker } satisfies z.infer<typeof answer>);
}

/** Returns null for a text that is no answer of this version. */
export function parseWorkerState(text: string): WorkerState | null {
  return answer.safeParse(tryParseJson(text)).data?.worker ?? null;
}
