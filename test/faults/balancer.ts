import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../drivers/eventually.ts';
import { freePort } from '../drivers/free-port.ts';

/** A pod as the balancer knows it: it stays at its ports when its process is started anew. */
export interface BalancedPod {
  readonly name: string;
  readonly port: number;
  readonly opsPort: number;
}

/** haproxy in front of the pods: round robin over those that are ready. */
export interface Balancer {
  /** Where clients connect. */
  readonly url: string;
  /** Sends nothing more to this pod, and ends what goes on there. */
  takeOut(name: string): Promise<void>;
  putBack(name: string): Promise<void>;
  /** The names of the pods that get requests. */
  ready(): Promise<string[]>;
  close(): Promise<void>;
}

/** Whether there is a haproxy on this machine. */
export function isBalancerThere(): boolean {
  return spawnSync('haproxy', ['-v'], { stdio: 'ignore' }).status === 0;
}

/** Starts it; resolves once it listens, whether or not the pods do. */
export async function openBalancer(pods: readonly BalancedPod[]): Promise<Balancer> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-haproxy-'));
  const socketPath = join(folder, 'admin.sock');
  const port = await freePort();
  await writeFile(join(folder, 'haproxy.cfg'), configurationOf(port, socketPath, pods));
  const child = spawn('haproxy', ['-f', join(folder, 'haproxy.cfg'), '-db', '-q'], { stdio: 'ignore' });
  const tell = (command: string) => ask(socketPath, command);
  /** What haproxy carries out it does without a word. */
  const order = async (command: string) => {
    const answer = (await tell(command)).trim();
    if (answer !== '') throw new Error(`haproxy, ${command}: ${answer}`);
  };
  const servers = async () => (await tell('show stat')).split('\n').map((line) => line.split(','));
  const isUp = () =>
    tell('show info').then(
      () => true,
      () => false,
    );
  const close = async () => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  await eventually(isUp, 'haproxy is up').catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    url: `http://127.0.0.1:${port}`,
    takeOut: async (name) => {
      await order(`set server pods/${name} state maint`);
      await order(`shutdown sessions server pods/${name}`);
    },
    putBack: (name) => order(`set server pods/${name} state ready`),
    ready: async () =>
      (await servers()).flatMap(([proxy, name = '', ...rest]) =>
        proxy === 'pods' && name !== 'BACKEND' && rest.some((field) => field.startsWith('UP')) ? [name] : [],
      ),
    close,
  };
}

/**
 * A stream may be silent for as long as a heartbeat takes, so times are long. A connection that cannot be made is tried
 * at another pod, and so is a `GET` that got no answer; a `POST` is never sent twice by a balancer. Connections to pods
 * are not kept: on one that a killed pod has left behind, haproxy would end a `POST` without a word.
 */
function configurationOf(port: number, socketPath: string, pods: readonly BalancedPod[]): string {
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

/** One command at haproxy's own socket. */
function ask(socketPath: string, command: string): Promise<string> {
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

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}
