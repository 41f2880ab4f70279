import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { PodFigures } from './open-overview.ts';

type Figures = Pick<Metrics, 'hooksAccepted' | 'hooksRefused' | 'tailLagEvents'>;

/** Makes the function that reads the figures of this pod from its metrics: the same that Prometheus gets. */
export function makeReadFigures({ hooksAccepted, hooksRefused, tailLagEvents }: Figures): () => Promise<PodFigures> {
  const sum = async (metric: { get(): Promise<{ readonly values: readonly { readonly value: number }[] }> }) =>
    (await metric.get()).values.reduce((total, { value }) => total + value, 0);
  return async () => {
    const lag = await sum(tailLagEvents);
    return {
      hooksAccepted: await sum(hooksAccepted),
      hooksRefused: await sum(hooksRefused),
      lagEvents: Number.isNaN(lag) ? null : lag,
    };
  };
}
