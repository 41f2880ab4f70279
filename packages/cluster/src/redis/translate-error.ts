import { ServiceError, UnavailableError } from '@widget-service/shared/domain/errors.ts';

/**
 * Whatever goes wrong with Redis is something to try again: it is away, loading, full or being replaced. It never
 * judges what it is given, so there is nothing it would refuse for good.
 */
export function translateRedisError(error: unknown, what: string): ServiceError {
  if (error instanceof ServiceError) return error;
  return new UnavailableError(`${what}: ${describeError(error)}`, error);
}

/** What our own logs should say about an error. */
export function describeError(error: unknown): string {
  if (error instanceof ServiceError) return error.internalMessage ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

/** Whether an error only says that the connection was lost or cannot be made; an answer of Redis is none. */
export function isConnectionError(error: Error): boolean {
  // Node's own errors carry a code in words; those BullMQ makes from an answer carry a number.
  if ('code' in error && typeof error.code === 'string') return true;
  return error.message.startsWith('Socket timeout') || error.message.startsWith('Connection is closed');
}

/** The outcome of a call to Redis, its failure translated. */
export async function translateErrors<T>(work: Promise<T>, what: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translateRedisError(error, what);
  }
}
