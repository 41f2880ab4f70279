import { describeError, ServiceError, UnavailableError } from '@widget-service/shared/domain/errors.ts';

/**
 * Translates any Redis error to `UnavailableError`: Redis is down, loading, full or being replaced, so a retry helps.
 * Redis accepts every value, so nothing is unstorable. Returns a `ServiceError` unchanged.
 */
export function translateRedisError(error: unknown, operation: string): ServiceError {
  if (error instanceof ServiceError) return error;
  return new UnavailableError(`${operation}: ${describeError(error)}`, error);
}

/** True for an error that only says that a connection was lost or cannot be made; false for an error reply of Redis. */
export function isConnectionError(error: Error): boolean {
  // Node's own errors carry a text as `code`. Errors that BullMQ makes from a reply carry a number.
  if ('code' in error && typeof error.code === 'string') return true;
  return error.message.startsWith('Socket timeout') || error.message.startsWith('Connection is closed');
}

/** Waits for a call to Redis and translates its failure. `operation` names the call in the error. */
export async function translateErrors<T>(work: Promise<T>, operation: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translateRedisError(error, operation);
  }
}
