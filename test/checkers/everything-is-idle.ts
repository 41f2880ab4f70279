import type { Checker, ProcessFigures } from './evidence.ts';

/** Allowed growth of a heap since the first measurement, as a factor, and the noise of a small heap in bytes. */
const heapGrowthMax = 1.1;
const heapNoiseBytes = 3 * 1_048_576;

/**
 * C9: after all faults, the queue, the outboxes and the quarantine are empty, every process is ready, every client has
 * reconnected, the pods count as many streams as clients have open, and no heap has grown much.
 */
export const everythingIsIdle: Checker = ({ stored, processes, clientsOpen, recording }) => {
  const violations: string[] = [];
  if (stored.jobsLeft > 0) violations.push(`${stored.jobsLeft} jobs are left in the queue`);
  if (stored.outboxesLeft > 0) violations.push(`${stored.outboxesLeft} outboxes are not empty`);
  if (stored.quarantined > 0) violations.push(`${stored.quarantined} texts of the queue are in quarantine`);
  const counted = processes.reduce((sum, { streamsOpen }) => sum + (streamsOpen ?? 0), 0);
  if (counted !== clientsOpen)
    violations.push(`the pods count ${counted} streams, but clients have ${clientsOpen} open`);
  const notReconnected = recording.streams.filter(({ closedBy }) => closedBy === null).length - clientsOpen;
  if (notReconnected > 0) violations.push(`${notReconnected} clients have not reconnected`);
  return [...violations, ...processes.flatMap(findProcessViolations)];
};

function findProcessViolations({ name, problems, heapUsedBytes, heapAtFirstBytes }: ProcessFigures): string[] {
  const violations = problems === '' ? [] : [`${name} is not ready: ${problems}`];
  if (heapUsedBytes === null || heapAtFirstBytes === null) return violations;
  const limit = heapAtFirstBytes * heapGrowthMax + heapNoiseBytes;
  if (heapUsedBytes > limit)
    violations.push(`the heap of ${name} went from ${heapAtFirstBytes} to ${heapUsedBytes} bytes`);
  return violations;
}
