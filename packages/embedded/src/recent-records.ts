import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';

/** Far more than the tail of this process ever lags behind. */
const recordsMax = 1_000;
/** The most characters of JSON in all records together. */
const jsonLengthMax = 4_194_304;

/**
 * The newest records of the event log in memory, so that the tail of this process needs no query for them. They also
 * hold the trace contexts, for which the file has no column: a trace does not outlive the process.
 */
export class RecentRecords {
  /** Oldest first. */
  readonly #bySeq = new Map<number, LogRecord>();
  #jsonLength = 0;
  /** The log has dropped the records up to this number. `add` ignores them, because they may arrive late. */
  #droppedSeq = 0;

  /** Adds records, which must be on the disk: streams may show them from now on. */
  add(records: readonly LogRecord[]): void {
    for (const record of records) {
      if (record.seq <= this.#droppedSeq) continue;
      this.#bySeq.set(record.seq, record);
      this.#jsonLength += record.event.json.length;
    }
    for (const oldest of this.#bySeq.values()) {
      if (this.#bySeq.size <= recordsMax && this.#jsonLength <= jsonLengthMax) break;
      this.#drop(oldest);
    }
  }

  /** Forgets the records up to this number, which the log drops. */
  dropUpTo(seq: number): void {
    this.#droppedSeq = seq;
    for (const oldest of this.#bySeq.values()) {
      if (oldest.seq > seq) break;
      this.#drop(oldest);
    }
  }

  /** Returns records right after the position, oldest first, at most `limit`. If none: read the file. */
  readAfter({ epoch, seq }: LogPosition, limit: number): LogRecord[] {
    const records: LogRecord[] = [];
    while (records.length < limit) {
      const next = this.#bySeq.get(seq + records.length + 1);
      if (next?.epoch !== epoch) break;
      records.push(next);
    }
    return records;
  }

  #drop({ seq, event }: LogRecord): void {
    this.#bySeq.delete(seq);
    this.#jsonLength -= event.json.length;
  }
}
