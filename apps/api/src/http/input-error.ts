import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { InputMistake } from './problem.ts';

/** A request that is refused for what it contains. */
export class InputError extends ServiceError {
  readonly errors: readonly InputMistake[];

  constructor(
    code: 'invalid-request' | 'invalid-idempotency-key',
    publicText: string,
    errors: readonly InputMistake[],
  ) {
    super(code, publicText);
    this.name = 'InputError';
    this.errors = errors;
  }
}
