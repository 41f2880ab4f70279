import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../tools/eventually.ts';
import { freePort } from '../tools/free-port.ts';

interface ScrapeTarget {
  readonly component: 'api' | 'worker';
  /** `127.0.0.1:8081` */
  readonly address: string;
}

/**
 * The pods of a namespace, as Prometheus finds them by `kubernetes_sd_configs`. Debian builds Prometheus without it, so
 * the pods come from a file, with the labels that it would give them.
 */
interface PodTargets {
  readonly namespace: string;
  /** `spec` of the shipped PodMonitor. */
  readonly monitor: PodMonitorSpec;
  /** Is called every second. */
  listPods(): Promise<readonly ScrapedPod[]>;
}

/** A pod as the Kubernetes API returns it: the fields that become labels of a target. */
interface ScrapedPod {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: as in `ClusterObject`, which this is a part of.
  readonly [field: string]: any;
}

/** The part of a PodMonitor that `toPodConfigs` translates. */
export interface PodMonitorSpec {
  readonly selector: {
    readonly matchExpressions: readonly { readonly key: string; readonly operator: 'In'; readonly values: string[] }[];
  };
  readonly podMetricsEndpoints: readonly {
    readonly port: string;
    readonly path: string;
    readonly relabelings: readonly { readonly sourceLabels: string[]; readonly targetLabel: string }[];
  }[];
}

interface PrometheusOptions {
  /** How to call the program: see `findPrometheusTool`. */
  readonly program: string;
  readonly targets: readonly ScrapeTarget[] | PodTargets;
  /** The text of each rule file. */
  readonly ruleFiles: readonly string[];
}

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Alert {
  readonly state: 'pending' | 'firing';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A real Prometheus, which scrapes and evaluates every second. */
export interface PrometheusProcess {
  /** Evaluates an expression now. Rejects if Prometheus cannot. */
  query(expression: string): Promise<Series[]>;
  listAlerts(): Promise<Alert[]>;
  close(): Promise<void>;
}

function toStaticConfig(targets: readonly ScrapeTarget[]) {
  return {
    job_name: 'widget-service',
    static_configs: targets.map(({ component, address }) => ({ targets: [address], labels: { component } })),
  };
}

const meta = (name: string) => `__meta_kubernetes_${name}`;
const podLabel = (key: string) => meta(`pod_label_${key.replaceAll(/[^a-zA-Z0-9_]/g, '_')}`);
const podTargetsFile = 'pods.json';

/**
 * Translates a PodMonitor as the Prometheus operator does: which pods and ports, and the labels `job`, `namespace`,
 * `pod` and `container`. The pauses between scrapes stay those of the tests.
 */
function toPodConfigs({ namespace, monitor }: PodTargets) {
  const keep = (source: string, regex: string) => ({ source_labels: [source], regex, action: 'keep' });
  const copy = (source: string, target: string) => ({ source_labels: [source], target_label: target });
  return monitor.podMetricsEndpoints.map(({ port, path, relabelings }) => ({
    job_name: `podMonitor/${namespace}/widget-service`,
    metrics_path: path,
    file_sd_configs: [{ files: [podTargetsFile] }],
    relabel_configs: [
      { source_labels: [meta('pod_phase')], regex: '(Failed|Succeeded)', action: 'drop' },
      ...monitor.selector.matchExpressions.map(({ key, values }) => keep(podLabel(key), values.join('|'))),
      keep(meta('pod_container_port_name'), port),
      copy(meta('namespace'), 'namespace'),
      copy(meta('pod_container_name'), 'container'),
      copy(meta('pod_name'), 'pod'),
      { target_label: 'job', replacement: `${namespace}/widget-service` },
      ...relabelings.map(({ sourceLabels, targetLabel }) => ({
        source_labels: sourceLabels,
        target_label: targetLabel,
      })),
    ],
  }));
}

interface ContainerSpec {
  readonly name: string;
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
}

/** One target for each port of each container. */
function toFileTargets(pods: readonly ScrapedPod[], namespace: string) {
  return pods
    .filter(({ status }) => status.podIP !== undefined)
    .flatMap(({ metadata, spec, status }) =>
      (spec.containers as readonly ContainerSpec[]).flatMap(({ name, ports = [] }) =>
        ports.map((port) => ({
          targets: [`${status.podIP}:${port.containerPort}`],
          labels: {
            ...Object.fromEntries(Object.entries(metadata.labels ?? {}).map(([key, value]) => [podLabel(key), value])),
            [meta('namespace')]: namespace,
            [meta('pod_name')]: metadata.name,
            [meta('pod_phase')]: status.phase,
            [meta('pod_container_name')]: name,
            [meta('pod_container_port_name')]: port.name ?? '',
          },
        })),
      ),
    );
}

/** Writes the file of the targets every second, until it is stopped. */
async function keepPodTargets(folder: string, { listPods, namespace }: PodTargets) {
  const stopping = new AbortController();
  const write = async () => {
    const pods = await listPods();
    // Prometheus must never read half a file.
    await writeFile(join(folder, 'pods.part'), JSON.stringify(toFileTargets(pods, namespace)));
    await rename(join(folder, 'pods.part'), join(folder, podTargetsFile));
  };
  await write();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await delay(1_000);
      await write();
    }
  })();
  return async () => {
    stopping.abort();
    await running;
  };
}

/** Starts Prometheus with the labels that the rules need. Resolves when it is ready. */
export async function startPrometheus({ program, targets, ruleFiles }: PrometheusOptions): Promise<PrometheusProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-prometheus-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const ruleNames = ruleFiles.map((_, index) => `rules-${index}.yaml`);
  await Promise.all(ruleFiles.map((text, index) => writeFile(join(folder, `rules-${index}.yaml`), text)));
  const configuration = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ruleNames,
    scrape_configs: 'listPods' in targets ? toPodConfigs(targets) : [toStaticConfig(targets)],
  };
  // JSON is YAML.
  await writeFile(join(folder, 'prometheus.yaml'), JSON.stringify(configuration));
  const stopTargets = 'listPods' in targets ? await keepPodTargets(folder, targets) : async () => undefined;
  const child = spawn(
    program,
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  );
  const close = async () => {
    await stopTargets();
    await kill(child);
    await rm(folder, { recursive: true, force: true });
  };
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await eventually(isReady, 'Prometheus is ready').catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    query: async (expression) => {
      const { result } = await get<{ result: ApiSeries[] }>(`${url}/api/v1/query`, { query: expression });
      return result.map(({ metric, value: [, text] }) => ({ labels: metric, value: Number(text) }));
    },
    listAlerts: async () => (await get<{ alerts: Alert[] }>(`${url}/api/v1/alerts`)).alerts,
    close,
  };
}

interface ApiSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

async function get<T>(url: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> {
  const response = await fetch(`${url}?${new URLSearchParams(parameters)}`);
  const answer = (await response.json()) as { status: string; error?: string; data: T };
  if (answer.status !== 'success') throw new Error(`Prometheus answered: ${answer.error}`);
  return answer.data;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}
