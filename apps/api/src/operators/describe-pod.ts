import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import { type ProcessState, processStateLimits } from '@widget-service/shared/ports/process-states.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { identifyProcess } from '@widget-service/shared/runtime/process-identity.ts';
import { PodSamples } from './hour-of-pod.ts';

export interface DescribePodDeps {
  readonly clock: Clock;
  readonly streamsMax: number;
  readonly metrics: Pick<Metrics, 'hooksAccepted' | 'hooksRefused' | 'tailLagEvents' | 'eventDeliverySeconds'>;
  readonly hub: { size(): number; countPersonal(): number };
  /** How far the tail of this pod has read. */
  readonly tailPosition: () => LogPosition | null;
  /** Why this pod refuses hooks now. Null: it accepts them. */
  readonly hookFailure: () => string | null;
  readonly listNotReady: () => string[];
  readonly isControlUnreachable: () => boolean;
}

/** Makes the function that describes this pod now. Call it every few seconds: it also samples the hour's figures. */
export function makeDescribePod(deps: DescribePodDeps): () => Promise<ProcessState> {
  const { clock, metrics, hub } = deps;
  const samples = new PodSamples();
  const identity = identifyProcess(clock.now().getTime());
  return async () => {
    const { hooksAccepted, hooksRefused, tailLagEvents, eventDeliverySeconds } = metrics;
    const lag = await readTotal(tailLagEvents);
    const streamsOpen = hub.size();
    const personalStreamsOpen = hub.countPersonal();
    const sample = {
      hooksAccepted: await readTotal(hooksAccepted),
      hooksRefused: await readTotal(hooksRefused),
      hooksFailed: await readTotal(hooksRefused, ({ code }) => code === 'unavailable' || code === 'internal'),
      streamsOpen,
      personalStreamsOpen,
      position: deps.tailPosition(),
      delays: eventDeliverySeconds.labels({}).readCounts(),
    };
    const nowMs = clock.now().getTime();
    samples.add(nowMs, sample);
    const pod = {
      streamsOpen,
      streamsMax: deps.streamsMax,
      isListCut: streamsOpen - personalStreamsOpen > processStateLimits.listedStreams,
      lagEvents: Number.isNaN(lag) ? null : lag,
      hookFailure: deps.hookFailure(),
      isControlUnreachable: deps.isControlUnreachable(),
      hour: samples.readHour(nowMs),
      eventDelays: samples.readDelays(nowMs),
    };
    return { ...identity, notReady: deps.listNotReady(), pod };
  };
}

type Labels = Readonly<Partial<Record<string, string | number>>>;

/** Returns the sum of a metric of this pod over its labels, all or some: the same that Prometheus gets. */
async function readTotal(
  metric: { get(): Promise<{ readonly values: readonly { readonly value: number; readonly labels: Labels }[] }> },
  counts: (labels: Labels) => boolean = () => true,
): Promise<number> {
  const { values } = await metric.get();
  return values.reduce((total, { value, labels }) => (counts(labels) ? total + value : total), 0);
}
