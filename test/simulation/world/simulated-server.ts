import { Notifier } from '../stores/link.ts';

/** A server as its callers see it. */
export class SimulatedServer {
  readonly name: string;
  /** Notifies when all its connections break. */
  readonly connectionsBroken = new Notifier();
  readonly #cutOff = new Set<string>();
  #state: 'up' | 'down' | 'frozen' = 'up';
  #held: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get state(): 'up' | 'down' | 'frozen' {
    return this.#state;
  }

  shutDown(): void {
    this.#state = 'down';
    this.#held = [];
    this.connectionsBroken.notify();
  }

  freeze(): void {
    if (this.#state === 'up') this.#state = 'frozen';
  }

  recover(): void {
    this.#state = 'up';
    const held = this.#held;
    this.#held = [];
    for (const arrive of held) arrive();
  }

  /** Keeps a message that arrived at a frozen server until it recovers. */
  hold(arrive: () => void): void {
    this.#held.push(arrive);
  }

  cutOff(process: string): void {
    this.#cutOff.add(process);
  }

  reconnect(process: string): void {
    this.#cutOff.delete(process);
  }

  isCutOff(process: string): boolean {
    return this.#cutOff.has(process);
  }
}
