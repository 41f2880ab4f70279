import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../tools/eventually.ts';
import { freePort } from '../tools/free-port.ts';

interface ScrapeTarget {
  readonly component: 'api' | 'worker';
  /** `127.0.0.1:8081` */
  readonly address: string;
}

interface PrometheusOptions {
  /** How to call the program: see `findPrometheusTool`. */
  readonly program: string;
  readonly targets: readonly ScrapeTarget[];
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
    scrape_configs: [
      {
        job_name: 'widget-service',
        static_configs: targets.map(({ component, address }) => ({ targets: [address], labels: { component } })),
      },
    ],
  };
  // JSON is YAML.
  await writeFile(join(folder, 'prometheus.yaml'), JSON.stringify(configuration));
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
