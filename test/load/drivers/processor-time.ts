import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

/** Linux counts processor time in ticks of 10 ms (`USER_HZ`, proc(5)). */
const microsPerTick = 10_000;

/** Returns the processor time of a process since its start, user and system together, in microseconds. Linux only. */
export function readProcessorMicros(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field, the name in parentheses, may contain spaces. utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * microsPerTick;
}

/** Returns the processor time of a Redis server since its start, in microseconds. */
export async function readRedisProcessorMicros(redis: Redis): Promise<number> {
  const info = await redis.info('cpu');
  const read = (name: string) => Number(new RegExp(`^${name}:(.+)$`, 'm').exec(info)?.[1] ?? 0);
  return Math.round((read('used_cpu_user') + read('used_cpu_sys')) * 1e6);
}

/** Returns the resident memory of a process, in KiB. Linux only. */
export function readResidentKib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}
