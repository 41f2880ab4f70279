import type { QueueState } from '@widget-service/shared/ports/hook-queue.ts';

/** A job as the queue stores it. */
export interface StoredJob {
  readonly jobId: string;
  readonly partition: number;
  readonly text: string;
  readonly addedAtMs: number;
  readonly startCount: number;
}

/** The hook queue in Redis. */
export interface JobQueue {
  readonly jobs: Map<string, StoredJob>;
  /** Per partition, the ids of the waiting jobs, next one first. */
  waiting: readonly (readonly string[])[];
  /** Per started job, the token of its consumer and the end of its lock. */
  readonly active: Map<string, { readonly token: string; readonly lockedUntilMs: number }>;
  /** A field that a wiped Redis does not have. Without it, several jobs of a partition run at once. */
  hasConcurrencyLimit: boolean;
}

export function createJobQueue(partitions: number): JobQueue {
  const waiting = Array.from({ length: partitions }, () => []);
  return { jobs: new Map(), waiting, active: new Map(), hasConcurrencyLimit: false };
}

export function copyQueue(queue: JobQueue): JobQueue {
  return { ...queue, jobs: new Map(queue.jobs), active: new Map(queue.active) };
}

export function addJob(queue: JobQueue, job: Omit<StoredJob, 'startCount'>): void {
  if (queue.jobs.has(job.jobId)) return;
  queue.jobs.set(job.jobId, { ...job, startCount: 0 });
  updateWaiting(queue, job.partition, (ids) => [...ids, job.jobId]);
}

/** Returns the state of the partitions: see `HookQueue.inspect`. `isOwn` recognises the caller's lock tokens. */
export function inspectJobs(
  { jobs, waiting, active }: JobQueue,
  { nowMs, isOwn }: { readonly nowMs: number; readonly isOwn: (token: string) => boolean },
): QueueState[] {
  const isElsewhere = ({ jobId }: StoredJob) => {
    const lock = active.get(jobId);
    return lock !== undefined && lock.lockedUntilMs > nowMs && !isOwn(lock.token);
  };
  return waiting.map((_, partition) => {
    const stored = [...jobs.values()].filter((job) => job.partition === partition);
    const times = stored.map(({ addedAtMs }) => addedAtMs);
    const oldestEnqueuedAt = times.length === 0 ? null : new Date(Math.min(...times));
    const isActiveElsewhere = stored.some(isElsewhere);
    return { queue: `partition-${partition}`, partition, jobs: stored.length, oldestEnqueuedAt, isActiveElsewhere };
  });
}

/** Starts the next job of a partition. Returns null if none waits, or one is running. */
export function startJob(queue: JobQueue, partition: number, token: string, lockedUntilMs: number): StoredJob | null {
  const [jobId] = queue.waiting[partition] ?? [];
  if (jobId === undefined || (queue.hasConcurrencyLimit && hasActive(queue, partition))) return null;
  const job = queue.jobs.get(jobId) as StoredJob;
  const started = { ...job, startCount: job.startCount + 1 };
  queue.jobs.set(jobId, started);
  updateWaiting(queue, partition, (ids) => ids.slice(1));
  queue.active.set(jobId, { token, lockedUntilMs });
  return started;
}

export function listWaitingJobs(queue: JobQueue, partition: number, atMost: number): StoredJob[] {
  return (queue.waiting[partition] ?? []).slice(0, atMost).flatMap((jobId) => queue.jobs.get(jobId) ?? []);
}

/** Returns false if the job no longer has this token. */
export function renewLock(queue: JobQueue, jobId: string, token: string, lockedUntilMs: number): boolean {
  if (!isHolder(queue, jobId, token)) return false;
  queue.active.set(jobId, { token, lockedUntilMs });
  return true;
}

/** Removes a job that is done. Leaves it if the job no longer has this token. */
export function finishJob(queue: JobQueue, jobId: string, token: string): boolean {
  if (!isHolder(queue, jobId, token)) return false;
  queue.active.delete(jobId);
  queue.jobs.delete(jobId);
  return true;
}

/** Removes a waiting job. Leaves a started one. */
export function removeWaiting(queue: JobQueue, jobId: string): void {
  const job = queue.jobs.get(jobId);
  if (job === undefined || queue.active.has(jobId)) return;
  queue.jobs.delete(jobId);
  updateWaiting(queue, job.partition, (ids) => ids.filter((id) => id !== jobId));
}

/** Puts a started job in front of all waiting jobs. */
export function releaseJob(queue: JobQueue, jobId: string, token: string): void {
  if (isHolder(queue, jobId, token)) putInFront(queue, jobId);
}

/** Sets the concurrency limit again, and puts jobs with an expired lock back in front. */
export function maintainQueue(queue: JobQueue, nowMs: number): void {
  queue.hasConcurrencyLimit = true;
  for (const [jobId, { lockedUntilMs }] of [...queue.active]) if (lockedUntilMs <= nowMs) putInFront(queue, jobId);
}

export function countWaiting(queue: JobQueue): number {
  return queue.waiting.reduce((sum, ids) => sum + ids.length, 0);
}

export function putInFront(queue: JobQueue, jobId: string): void {
  queue.active.delete(jobId);
  const job = queue.jobs.get(jobId);
  if (job !== undefined) updateWaiting(queue, job.partition, (ids) => [jobId, ...ids]);
}

function isHolder(queue: JobQueue, jobId: string, token: string): boolean {
  return queue.active.get(jobId)?.token === token;
}

function hasActive(queue: JobQueue, partition: number): boolean {
  for (const jobId of queue.active.keys()) if (queue.jobs.get(jobId)?.partition === partition) return true;
  return false;
}

function updateWaiting(queue: JobQueue, partition: number, by: (ids: readonly string[]) => readonly string[]): void {
  queue.waiting = queue.waiting.map((ids, index) => (index === partition ? by(ids) : ids));
}
