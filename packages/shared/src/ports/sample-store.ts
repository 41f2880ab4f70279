import type { ListedRow } from '../domain/page.ts';

/** What was wrong with a request of a foreign sender: the step that failed, as a preview says it. */
export interface SampleRefusal {
  readonly step: string;
  readonly reason: string;
  /** Where in the body (JSON Pointer), or in which header, the text was that the mapping refused. */
  readonly pointer?: string;
  readonly header?: string;
}

/** A refused request of a foreign sender, as it was sent. It holds neither the token nor a secret of the sender. */
export interface HookSample {
  readonly integrationId: string;
  /** The id of the request: it also identifies the sample. */
  readonly requestId: string;
  readonly receivedAt: Date;
  /** The code of the problem that the sender got. */
  readonly code: string;
  readonly refusal: SampleRefusal;
  /** The values of each header, by its name in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** The names of the headers that are left out, because they may hold a secret or an address. */
  readonly withheldHeaders: readonly string[];
  readonly body: string;
}

/** The samples of an integration, the newest first. */
export interface KeptSamples {
  /** Until when samples are kept; then all are deleted. Null: none are kept. */
  readonly until: Date | null;
  readonly samples: readonly ListedRow<HookSample>[];
}

export const sampleLimits = {
  /** How many samples of an integration a store keeps. */
  perIntegration: 10,
  /** For how long samples may be kept, and how old each may become. */
  keepSecondsMax: 86_400,
  /** A request with a larger body is not kept. */
  bodyBytesMax: 65_536,
} as const;

/** Returns a time: a sample that arrived then, or earlier, is kept no longer. In milliseconds of Unix time. */
export const findOldestMs = (now: Date): number => now.getTime() - sampleLimits.keepSecondsMax * 1_000;

/**
 * Refused requests of foreign senders, for the manager of an integration to find out what its sender sends. None are
 * kept unless somebody asked for it. A store keeps at most `sampleLimits.perIntegration`, until the time that was asked
 * for. They need not survive a crash. Methods throw `UnavailableError`.
 */
export interface SampleStore {
  /**
   * Keeps the samples of an integration from now on until this time. Those that are there stay until then, but none
   * longer than `sampleLimits.keepSecondsMax` after its arrival. Younger ones may end with the oldest.
   */
  keepUntil(integrationId: string, until: Date): Promise<void>;
  /** Adds a sample if samples of its integration are kept; else it has no effect. To add one again has none either. */
  add(sample: HookSample): Promise<void>;
  /** Returns the samples that are kept at `now`: by `receivedAt`, then by `requestId`, both descending. */
  find(integrationId: string, now: Date): Promise<KeptSamples>;
  /** Deletes all samples of an integration, and keeps no more. A sample that is added after it has no effect. */
  delete(integrationId: string): Promise<void>;
}
