import type { Grant } from '../domain/grant.ts';
import type { GrantStore } from './grant-store.ts';

/** An outside system that may post hooks; signed ones where its token has a sealed secret. */
export interface Integration extends Grant {
  /** Whether hooks without an id or key of their own count as repetitions when their content is the same. */
  readonly deduplicateByContent: boolean;
  /** Hooks per second; null: as the service is set. */
  readonly rate: number | null;
}

type IntegrationChanges = Partial<Pick<Integration, 'name' | 'deduplicateByContent' | 'rate' | 'expiresAt'>>;

export type IntegrationStore = GrantStore<Integration, IntegrationChanges>;
