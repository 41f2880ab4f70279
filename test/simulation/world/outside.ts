import type { Scheduler } from '../engine/scheduler.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { History } from './history.ts';
import type { Pod } from './pod-process.ts';
import type { SimulatedSocket } from './simulated-socket.ts';

export type RequestOutcome<T> =
  | { readonly status: 'ok'; readonly value: T }
  /** It was answered with a refusal, or could not be sent: it may have taken place in the first case. */
  | { readonly status: 'refused' }
  /** No answer came. */
  | { readonly status: 'unknown' };

/** The world as clients see it. */
export interface Outside {
  readonly scheduler: Scheduler;
  readonly history: History;
  /** Where the code of all clients runs: nothing ever happens to it. */
  readonly clients: SimulatedProcess;
  /** The open connections of clients, and to which pod they are. */
  readonly sockets: Map<SimulatedSocket, string>;
  readonly trace: (text: string) => void;
  createUuid(): string;
  /** The name of some pod. */
  pickPod(): string;
  /** A client asks a pod, and waits for the answer as long as its patience lasts. */
  request<T>(podName: string, work: (pod: Pod) => Promise<T>): Promise<RequestOutcome<T>>;
}
