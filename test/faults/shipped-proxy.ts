import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from '../drivers/tools/eventually.ts';
import { freePort } from '../drivers/tools/free-port.ts';

/** The proxies whose files in `deploy/proxies` run here. */
export const shippedProxies = ['nginx', 'haproxy', 'envoy', 'traefik'] as const;
export type ShippedProxyName = (typeof shippedProxies)[number];

interface PodPorts {
  readonly port: number;
  readonly opsPort: number;
}

/** A proxy that runs with its file of `deploy/proxies`, in which only addresses, ports and paths are replaced. */
export interface ShippedProxy {
  readonly name: ShippedProxyName;
  /** `https://127.0.0.1:<port>` */
  readonly url: string;
  close(): Promise<void>;
}

/** A certificate for 127.0.0.1 that it signed itself, and its key. */
export interface Certificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** Both in one file, as haproxy reads them. */
  readonly bothFile: string;
}

interface ProxyProgram {
  /** The name of its file in `deploy/proxies`, and of the adapted file. Envoy reads the format off the extension. */
  readonly file: string;
  /** Other files of `deploy/proxies` that belong to it. */
  readonly otherFiles?: readonly string[];
  readonly versionArgument: string;
  /** The arguments that run it in the foreground. */
  listArguments(file: string, folder: string): string[];
}

const programs: Readonly<Record<ShippedProxyName, ProxyProgram>> = {
  nginx: {
    file: 'nginx.conf',
    versionArgument: '-v',
    listArguments: (file, folder) => ['-p', folder, '-c', file, '-e', 'start.log', '-g', 'daemon off;'],
  },
  haproxy: { file: 'haproxy.cfg', versionArgument: '-v', listArguments: (file) => ['-f', file, '-db'] },
  envoy: {
    file: 'envoy.yaml',
    versionArgument: '--version',
    // Without a base id of its own, a second Envoy on this machine does not start.
    listArguments: (file) => ['-c', file, '--use-dynamic-base-id', '--concurrency', '1', '--log-level', 'off'],
  },
  traefik: {
    file: 'traefik.yaml',
    otherFiles: ['traefik-routes.yaml', 'traefik-no-pod.conf'],
    versionArgument: 'version',
    listArguments: (file) => [`--configfile=${file}`],
  },
};

const isInstalled = (program: string, argument: string) =>
  spawnSync(program, [argument], { stdio: 'ignore' }).status === 0;

/** Returns whether the program of the proxy is installed here. */
export function isProxyInstalled(name: ShippedProxyName): boolean {
  return isInstalled(name, programs[name].versionArgument);
}

/** Returns whether the proxy is installed here, and `openssl`, which makes the certificate. */
export function canRunProxy(name: ShippedProxyName): boolean {
  // Beside Traefik runs a small nginx.
  const hasHelper = name !== 'traefik' || isProxyInstalled('nginx');
  return isProxyInstalled(name) && isInstalled('openssl', 'version') && hasHelper;
}

/** Makes a certificate with `openssl`. */
export async function createCertificate(folder: string): Promise<Certificate> {
  const [certificateFile, keyFile, bothFile] = ['cert.pem', 'key.pem', 'both.pem'].map((file) => join(folder, file));
  if (certificateFile === undefined || keyFile === undefined || bothFile === undefined) throw new Error('unreachable');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...key, '-days', '2', ...names, '-out', certificateFile], {
    stdio: 'ignore',
  });
  await writeFile(bothFile, (await readFile(certificateFile, 'utf8')) + (await readFile(keyFile, 'utf8')));
  return { certificateFile, keyFile, bothFile };
}

/** Starts a proxy in front of two pods. Resolves when it listens, whether or not the pods listen. */
export async function startShippedProxy(
  name: ShippedProxyName,
  pods: readonly [PodPorts, PodPorts],
  certificate: Certificate,
): Promise<ShippedProxy> {
  const folder = await mkdtemp(join(tmpdir(), `widget-${name}-`));
  const port = await freePort();
  const noPodPort = await freePort();
  const { file: fileName, otherFiles = [], listArguments } = programs[name];
  const file = join(folder, fileName);
  for (const one of [fileName, ...otherFiles]) {
    const adapted = await adaptConfiguration(name, one, { port, noPodPort, pods, certificate, folder });
    await writeFile(join(folder, one), adapted);
  }
  const children = [spawn(name, listArguments(file, folder), { stdio: 'ignore' })];
  if (name === 'traefik') {
    const helper = programs.nginx.listArguments(join(folder, 'traefik-no-pod.conf'), folder);
    children.push(spawn('nginx', helper, { stdio: 'ignore' }));
  }
  const close = async () => {
    await Promise.all(children.map(endChild));
    await rm(folder, { recursive: true, force: true });
  };
  await eventually(() => listens(port), `${name} listens`).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { name, url: `https://127.0.0.1:${port}`, close };
}

export interface NoPodServer {
  /** Without a slash at the end. */
  readonly url: string;
  /** Ends it and returns all that it wrote to its log. */
  close(): Promise<string>;
}

/** Starts the server of `traefik-no-pod.conf`, which answers for Traefik while no pod runs. It needs only nginx. */
export async function startNoPodServer(): Promise<NoPodServer> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-no-pod-'));
  const fileName = 'traefik-no-pod.conf';
  const noPodPort = await freePort();
  const file = join(folder, fileName);
  await writeFile(file, await adaptFile(fileName, listNoPodReplacements(noPodPort, folder)));
  const child = spawn('nginx', programs.nginx.listArguments(file, folder), { stdio: ['ignore', 'ignore', 'pipe'] });
  const log = text(child.stderr);
  await eventually(() => listens(noPodPort), 'the server for no pod listens');
  return {
    url: `http://127.0.0.1:${noPodPort}`,
    close: async () => {
      await endChild(child);
      await rm(folder, { recursive: true, force: true });
      return log;
    },
  };
}

interface Surroundings {
  readonly port: number;
  /** Where the server listens that Traefik asks while no pod runs. */
  readonly noPodPort: number;
  readonly pods: readonly [PodPorts, PodPorts];
  readonly certificate: Certificate;
  readonly folder: string;
}

/** Returns the shipped file with the addresses, ports and paths of this machine. Throws if one is missing in it. */
async function adaptConfiguration(
  name: ShippedProxyName,
  fileName: string,
  surroundings: Surroundings,
): Promise<string> {
  const replacements =
    name === 'traefik' ? listTraefikReplacements(fileName, surroundings) : listReplacements(surroundings)[name];
  return adaptFile(fileName, replacements);
}

async function adaptFile(fileName: string, replacements: Replacements): Promise<string> {
  const shipped = await readFile(new URL(`../../deploy/proxies/${fileName}`, import.meta.url), 'utf8');
  return replacements.reduce((adapted, [from, to]) => {
    if (!adapted.includes(from)) throw new Error(`${fileName} does not contain "${from}"`);
    return adapted.replaceAll(from, to);
  }, shipped);
}

type Replacements = readonly (readonly [from: string, to: string])[];

/** Traefik has three files. */
function listTraefikReplacements(fileName: string, surroundings: Surroundings): Replacements {
  const { port, noPodPort, pods, certificate, folder } = surroundings;
  const byFile: Readonly<Record<string, Replacements>> = {
    'traefik.yaml': [
      ['address: ":443"', `address: "127.0.0.1:${port}"`],
      ['/etc/traefik/traefik-routes.yaml', join(folder, 'traefik-routes.yaml')],
    ],
    'traefik-routes.yaml': [
      ...pods.map((pod, index) => [traefikPod(`10.0.0.1${index + 1}`), traefikPod('127.0.0.1', pod)] as const),
      ['http://127.0.0.1:8090', `http://127.0.0.1:${noPodPort}`],
      ['/etc/traefik/certs/widget-service.crt', certificate.certificateFile],
      ['/etc/traefik/certs/widget-service.key', certificate.keyFile],
    ],
    'traefik-no-pod.conf': listNoPodReplacements(noPodPort, folder),
  };
  return byFile[fileName] ?? [];
}

function listNoPodReplacements(noPodPort: number, folder: string): Replacements {
  return [
    ['127.0.0.1:8090', `127.0.0.1:${noPodPort}`],
    ['worker_processes 1;', `worker_processes 1;\npid ${folder}/no-pod.pid;`],
    ['http {', `http {\n${temporaryPaths(folder)}`],
  ];
}

/** Returns a pod of `traefik-routes.yaml` as it is written there, up to the port of its health check. */
function traefikPod(host: string, { port, opsPort }: PodPorts = { port: 8080, opsPort: 8081 }): string {
  return `- url: http://${host}:${port}
        healthCheck: { path: /readyz, port: ${opsPort}`;
}

function listReplacements(
  surroundings: Surroundings,
): Readonly<Record<Exclude<ShippedProxyName, 'traefik'>, Replacements>> {
  const { port, pods, certificate, folder } = surroundings;
  return {
    nginx: [
      ['listen 443 ', `listen 127.0.0.1:${port} `],
      ['server 10.0.0.11:8080 ', `server 127.0.0.1:${pods[0].port} `],
      ['server 10.0.0.12:8080 ', `server 127.0.0.1:${pods[1].port} `],
      ['/etc/nginx/certs/widget-service.crt', certificate.certificateFile],
      ['/etc/nginx/certs/widget-service.key', certificate.keyFile],
      ['/var/log/nginx/', `${folder}/`],
      // nginx keeps these two outside of its own folder by default.
      ['worker_processes auto;', `worker_processes auto;\npid ${folder}/nginx.pid;`],
      ['http {', `http {\n${temporaryPaths(folder)}`],
    ],
    haproxy: [
      ['bind :443 ', `bind 127.0.0.1:${port} `],
      ['server pod-1 10.0.0.11:8080', `server pod-1 127.0.0.1:${pods[0].port} port ${pods[0].opsPort}`],
      ['server pod-2 10.0.0.12:8080', `server pod-2 127.0.0.1:${pods[1].port} port ${pods[1].opsPort}`],
      ['/etc/haproxy/certs/widget-service.pem', certificate.bothFile],
    ],
    envoy: [
      ['address: 0.0.0.0, port_value: 8443 ', `address: 127.0.0.1, port_value: ${port} `],
      ...pods.map((pod, index) => [envoyEndpoint(`10.0.0.1${index + 1}`), envoyEndpoint('127.0.0.1', pod)] as const),
      ['/etc/envoy/certs/widget-service.crt', certificate.certificateFile],
      ['/etc/envoy/certs/widget-service.key', certificate.keyFile],
    ],
  };
}

/** Returns an endpoint of `envoy.yaml` as it is written there. */
function envoyEndpoint(host: string, { port, opsPort }: PodPorts = { port: 8080, opsPort: 8081 }): string {
  return `address: { socket_address: { address: ${host}, port_value: ${port} } }
                  health_check_config: { port_value: ${opsPort} }`;
}

function temporaryPaths(folder: string): string {
  return ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `  ${kind}_temp_path ${join(folder, kind)};`)
    .join('\n');
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** SIGTERM, because nginx ends its worker processes only then. */
async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}
