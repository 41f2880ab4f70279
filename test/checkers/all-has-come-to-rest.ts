import type { Checker, ProcessFigures } from './evidence.ts';

/** How much more memory may be in use than when it was first looked at, and what is noise in a small heap. */
const heapGrowthMax = 1.1;
const heapNoiseBytes = 3 * 1_048_576;

/**
 * C9: once healed, nothing waits in the queue or in an outbox, every process is ready, the pods count as many streams as
 * there are clients, and no heap has grown.
 */
export const allHasComeToRest: Checker = ({ stored, processes, clientsOpen, recording }) => {
  const found: string[] = [];
  if (stored.jobsLeft > 0) found.push(`${stored.jobsLeft} jobs are left in the queue`);
  if (stored.outboxesLeft > 0) found.push(`${stored.outboxesLeft} outboxes are not empty`);
  if (stored.quarantined > 0) found.push(`${stored.quarantined} texts of the queue were set aside`);
  const counted = processes.reduce((sum, { streamsOpen }) => sum + (streamsOpen ?? 0), 0);
  if (counted !== clientsOpen) found.push(`the pods count ${counted} streams, the clients ${clientsOpen}`);
  const waiting = recording.streams.filter(({ closedBy }) => closedBy === null).length - clientsOpen;
  if (waiting > 0) found.push(`${waiting} streams have not come back`);
  return [...found, ...processes.flatMap(problemsOf)];
};

function problemsOf({ name, problems, heapUsedBytes, heapAtFirstBytes }: ProcessFigures): string[] {
  const found = problems === '' ? [] : [`${name} is not ready: ${problems}`];
  if (heapUsedBytes === null || heapAtFirstBytes === null) return found;
  const limit = heapAtFirstBytes * heapGrowthMax + heapNoiseBytes;
  if (heapUsedBytes > limit) found.push(`the heap of ${name} went from ${heapAtFirstBytes} to ${heapUsedBytes} bytes`);
  return found;
}
