import type { IncomingMessage } from 'node:http';

/**
 * How often a request has a header. Of some that are repeated Node keeps the first, others it joins, while a proxy may
 * have gone by the last. `name` is lower-case.
 */
export function countHeader({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}
