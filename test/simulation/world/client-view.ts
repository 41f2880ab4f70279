import type { Scheduler } from '../engine/scheduler.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { History } from './history.ts';
import type { Pod } from './processes.ts';
import type { SimulatedSocket } from './simulated-socket.ts';

export type RequestOutcome<T> =
  | { readonly status: 'ok'; readonly value: T }
  /** The answer is a refusal, and the request may have taken effect. Or the request could not be sent. */
  | { readonly status: 'refused' }
  /** No answer came. */
  | { readonly status: 'unknown' };

/** The world as clients see it. */
export interface ClientView {
  readonly scheduler: Scheduler;
  readonly history: History;
  /** The process that runs the code of all clients. It has no faults. */
  readonly clients: SimulatedProcess;
  /** The open connections of clients, with the name of the pod. */
  readonly sockets: Map<SimulatedSocket, string>;
  readonly trace: (text: string) => void;
  createUuid(): string;
  /** Returns the name of a random pod. */
  pickPod(): string;
  /** Sends a request to a pod, and waits for the answer up to the client's time limit. */
  request<T>(podName: string, work: (pod: Pod) => Promise<T>): Promise<RequestOutcome<T>>;
}
