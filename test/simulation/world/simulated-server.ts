import { Bell } from '../stores/bell.ts';

/** A server as those see it that call it. */
export class SimulatedServer {
  readonly name: string;
  /** Rung when all its connections break. */
  readonly reset = new Bell();
  readonly #cutOff = new Set<string>();
  #state: 'up' | 'down' | 'frozen' = 'up';
  #held: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get state(): 'up' | 'down' | 'frozen' {
    return this.#state;
  }

  goDown(): void {
    this.#state = 'down';
    this.#held = [];
    this.reset.ring();
  }

  freeze(): void {
    if (this.#state === 'up') this.#state = 'frozen';
  }

  comeBack(): void {
    this.#state = 'up';
    const held = this.#held;
    this.#held = [];
    for (const arrive of held) arrive();
  }

  /** Keeps what has arrived until it goes on. */
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
