/** A job as the queue keeps it. */
export interface StoredJob {
  readonly jobId: string;
  readonly partition: number;
  readonly text: string;
  readonly starts: number;
}

/** What Redis keeps of the hook queue. */
export interface JobQueue {
  readonly jobs: Map<string, StoredJob>;
  /** Per partition the ids of the jobs that wait, the next one first. */
  waiting: readonly (readonly string[])[];
  /** Who has which job, and until when it is sure to be the only one. */
  readonly active: Map<string, { readonly token: string; readonly lockedUntilMs: number }>;
  /** A field that a wiped Redis has not: without it, several jobs of a partition run at once. */
  isOneAtATime: boolean;
}

export function emptyJobQueue(partitions: number): JobQueue {
  const waiting = Array.from({ length: partitions }, () => []);
  return { jobs: new Map(), waiting, active: new Map(), isOneAtATime: false };
}

export function copyOfQueue(queue: JobQueue): JobQueue {
  return { ...queue, jobs: new Map(queue.jobs), active: new Map(queue.active) };
}

export function addJob(queue: JobQueue, job: Omit<StoredJob, 'starts'>): void {
  if (queue.jobs.has(job.jobId)) return;
  queue.jobs.set(job.jobId, { ...job, starts: 0 });
  line(queue, job.partition, (ids) => [...ids, job.jobId]);
}

/** Starts the next job of a partition; null when there is none, or one runs already. */
export function startJob(queue: JobQueue, partition: number, token: string, lockedUntilMs: number): StoredJob | null {
  const [jobId] = queue.waiting[partition] ?? [];
  if (jobId === undefined || (queue.isOneAtATime && hasActive(queue, partition))) return null;
  const job = queue.jobs.get(jobId) as StoredJob;
  const started = { ...job, starts: job.starts + 1 };
  queue.jobs.set(jobId, started);
  line(queue, partition, (ids) => ids.slice(1));
  queue.active.set(jobId, { token, lockedUntilMs });
  return started;
}

export function waitingJobs(queue: JobQueue, partition: number, atMost: number): StoredJob[] {
  return (queue.waiting[partition] ?? []).slice(0, atMost).flatMap((jobId) => queue.jobs.get(jobId) ?? []);
}

/** False when the job is no longer this holder's. */
export function renewLock(queue: JobQueue, jobId: string, token: string, lockedUntilMs: number): boolean {
  if (!isHolder(queue, jobId, token)) return false;
  queue.active.set(jobId, { token, lockedUntilMs });
  return true;
}

/** Removes a job that is done; what its holder has lost stays. */
export function finishJob(queue: JobQueue, jobId: string, token: string): boolean {
  if (!isHolder(queue, jobId, token)) return false;
  queue.active.delete(jobId);
  queue.jobs.delete(jobId);
  return true;
}

/** Removes a job that waits. One that somebody has started stays. */
export function removeWaiting(queue: JobQueue, jobId: string): void {
  const job = queue.jobs.get(jobId);
  if (job === undefined || queue.active.has(jobId)) return;
  queue.jobs.delete(jobId);
  line(queue, job.partition, (ids) => ids.filter((id) => id !== jobId));
}

/** Puts a job that was started in front of all that wait. */
export function handBack(queue: JobQueue, jobId: string, token: string): void {
  if (isHolder(queue, jobId, token)) putInFront(queue, jobId);
}

/** Sets the field anew, and takes the jobs back whose lock has run out. */
export function lookAfter(queue: JobQueue, nowMs: number): void {
  queue.isOneAtATime = true;
  for (const [jobId, { lockedUntilMs }] of [...queue.active]) if (lockedUntilMs <= nowMs) putInFront(queue, jobId);
}

export function countWaiting(queue: JobQueue): number {
  return queue.waiting.reduce((sum, ids) => sum + ids.length, 0);
}

export function putInFront(queue: JobQueue, jobId: string): void {
  queue.active.delete(jobId);
  const job = queue.jobs.get(jobId);
  if (job !== undefined) line(queue, job.partition, (ids) => [jobId, ...ids]);
}

function isHolder(queue: JobQueue, jobId: string, token: string): boolean {
  return queue.active.get(jobId)?.token === token;
}

function hasActive(queue: JobQueue, partition: number): boolean {
  for (const jobId of queue.active.keys()) if (queue.jobs.get(jobId)?.partition === partition) return true;
  return false;
}

function line(queue: JobQueue, partition: number, by: (ids: readonly string[]) => readonly string[]): void {
  queue.waiting = queue.waiting.map((ids, index) => (index === partition ? by(ids) : ids));
}
