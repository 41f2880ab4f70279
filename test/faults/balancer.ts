import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../drivers/tools/eventually.ts';
import { freePort } from '../drivers/tools/free-port.ts';

/** A pod as haproxy sees it. A restarted process keeps its ports. */
export interface BalancedPod {
  readonly name: string;
  readonly port: number;
  readonly opsPort: number;
}

/** haproxy in front of the pods. It sends requests to the ready pods, round robin. */
export interface Balancer {
  /** The address for clients. */
  readonly url: string;
  /** Stops new requests to this pod and cuts its open connections. */
  disablePod(name: string): Promise<void>;
  enablePod(name: string): Promise<void>;
  /** Ends all connections and refuses new ones until `start`. Clients see an outage, and no answer of haproxy's own. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Returns the names of the pods that receive requests. */
  listReadyPods(): Promise<string[]>;
  close(): Promise<void>;
}

/** Returns true if haproxy is installed on this machine. */
export function isHaproxyInstalled(): boolean {
  return spawnSync('haproxy', ['-v'], { stdio: 'ignore' }).status === 0;
}

/** Starts haproxy. Resolves when it listens, whether or not the pods listen. */
export async function openBalancer(pods: readonly BalancedPod[]): Promise<Balancer> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-haproxy-'));
  const socketPath = join(folder, 'admin.sock');
  const port = await freePort();
  await writeFile(join(folder, 'haproxy.cfg'), formatConfiguration(port, socketPath, pods));
  const spawnHaproxy = () => spawn('haproxy', ['-f', join(folder, 'haproxy.cfg'), '-db', '-q'], { stdio: 'ignore' });
  let child = spawnHaproxy();
  const send = (command: string) => sendCommand(socketPath, command);
  /** haproxy answers a successful command with an empty text. */
  const execute = async (command: string) => {
    const answer = (await send(command)).trim();
    if (answer !== '') throw new Error(`haproxy answered "${command}" with: ${answer}`);
  };
  const listServers = async () => (await send('show stat')).split('\n').map((line) => line.split(','));
  const isUp = () =>
    send('show info').then(
      () => true,
      () => false,
    );
  const close = async () => {
    await killChild(child);
    await rm(folder, { recursive: true, force: true });
  };
  await eventually(isUp, 'haproxy is up').catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    url: `http://127.0.0.1:${port}`,
    disablePod: async (name) => {
      await execute(`set server pods/${name} state maint`);
      await execute(`shutdown sessions server pods/${name}`);
    },
    stop: () => killChild(child),
    start: async () => {
      child = spawnHaproxy();
      await eventually(isUp, 'haproxy is up again');
    },
    enablePod: (name) => execute(`set server pods/${name} state ready`),
    listReadyPods: async () =>
      (await listServers()).flatMap(([proxy, name = '', ...rest]) =>
        proxy === 'pods' && name !== 'BACKEND' && rest.some((field) => field.startsWith('UP')) ? [name] : [],
      ),
    close,
  };
}

/**
 * Timeouts are long, because a stream may be silent until its next heartbeat. haproxy tries another pod if it cannot
 * connect, and if a `GET` got no answer. It never sends a `POST` twice. It does not reuse connections to pods: on a
 * connection that a killed pod left behind, it would drop a `POST` without an answer.
 */
function formatConfiguration(port: number, socketPath: string, pods: readonly BalancedPod[]): string {
  const servers = pods.map(
    (pod) => `  server ${pod.name} 127.0.0.1:${pod.port} check port ${pod.opsPort} inter 500ms fall 2 rise 1`,
  );
  return `
global
  stats socket ${socketPath} mode 600 level admin
defaults
  mode http
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 2s
  retries 3
  option redispatch 1
  option http-server-close
frontend public
  bind 127.0.0.1:${port}
  default_backend pods
backend pods
  balance roundrobin
  option httpchk GET /readyz
  retry-on conn-failure empty-response
  http-request disable-l7-retry unless METH_GET
${servers.join('\n')}
`;
}

/** Sends one command to haproxy's admin socket and returns the answer. */
function sendCommand(socketPath: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(socketPath, () => socket.write(`${command}\n`));
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.once('end', () => resolve(answer));
    socket.once('error', reject);
  });
}

async function killChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}
