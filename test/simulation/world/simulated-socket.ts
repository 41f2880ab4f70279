import type { Sink } from '@widget-service/api/streams/fan-out/chunk.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import { latencyMs } from './simulated-link.ts';

export interface SocketListeners {
  readonly onData: (text: string) => void;
  readonly onClose: () => void;
}

/** The connection between a pod and one client. It delivers one write after the other, as fast as the client reads. */
export class SimulatedSocket {
  readonly #client: SimulatedProcess;
  readonly #listeners: SocketListeners;
  readonly #drains: (() => void)[] = [];
  readonly #closes: (() => void)[] = [];
  #pod: SimulatedProcess | null = null;
  #unsent: Buffer[] = [];
  #unsentBytes = 0;
  #deliveredBytes = 0;
  #isStalled = false;
  #isDelivering = false;
  #isEnding = false;
  #isClosed = false;

  constructor(client: SimulatedProcess, listeners: SocketListeners) {
    this.#client = client;
    this.#listeners = listeners;
  }

  sinkFor(pod: SimulatedProcess): Sink {
    this.#pod = pod;
    return {
      unsentBytes: () => this.#unsentBytes,
      sentBytes: () => this.#deliveredBytes,
      write: (chunk) => this.#write(chunk.plain),
      onDrain: (listener) => void this.#drains.push(listener),
      onClose: (listener) => void (this.#isClosed ? pod.after(0, listener) : this.#closes.push(listener)),
      end: (last) => {
        this.#write(last.plain);
        this.#isEnding = true;
      },
      destroy: () => {
        this.#unsent = [];
        this.#unsentBytes = 0;
        this.#close();
      },
    };
  }

  /** The client stops reading, or reads again. */
  stall(isStalled: boolean): void {
    this.#isStalled = isStalled;
    this.#deliverNext();
  }

  /** The client leaves. The pod learns of it later. */
  leave(): void {
    this.#isClosed = true;
    for (const listener of this.#closes) this.#pod?.after(latencyMs(this.#client.random), listener);
  }

  /** The pod has died. What it has written still arrives, as far as the client reads. */
  breakConnection(): void {
    this.#isEnding = true;
    this.#deliverNext();
  }

  #write(bytes: Buffer): void {
    if (this.#isClosed || this.#isEnding) return;
    this.#unsent.push(bytes);
    this.#unsentBytes += bytes.length;
    this.#deliverNext();
  }

  #deliverNext(): void {
    if (this.#isDelivering || this.#isStalled || this.#isClosed) return;
    if (this.#unsent.length === 0) {
      if (this.#isEnding) this.#close();
      return;
    }
    this.#isDelivering = true;
    this.#client.after(latencyMs(this.#client.random), () => {
      this.#isDelivering = false;
      const bytes = this.#unsent.shift();
      if (this.#isClosed || bytes === undefined) return;
      this.#unsentBytes -= bytes.length;
      this.#deliveredBytes += bytes.length;
      this.#listeners.onData(bytes.toString());
      if (this.#unsent.length === 0) for (const listener of this.#drains) this.#pod?.after(0, listener);
      this.#deliverNext();
    });
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#client.after(latencyMs(this.#client.random), this.#listeners.onClose);
    for (const listener of this.#closes) this.#pod?.after(0, listener);
  }
}
