import { readFileSync } from 'node:fs';
import { applyObjects, type makeKubectl } from '../deploy/kubectl.ts';

/** The security context of a container that the Pod Security Standard `restricted` of the namespace admits. */
const restricted = {
  ...{ runAsNonRoot: true, runAsUser: 1000, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
  ...{ capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
};

export interface ProxyPodOptions {
  readonly namespace: string;
  readonly kubectl: ReturnType<typeof makeKubectl>;
  /** An image with haproxy, which every node must have. */
  readonly image: string;
  /** Where the proxy runs. It must not be damaged: there is only one. */
  readonly node: string;
}

const shippedFile = new URL('../../deploy/proxies/haproxy.cfg', import.meta.url);
const port = 8000;

/**
 * What a proxy in the cluster needs otherwise than one on a machine of its own. It finds the pods by the name of a
 * Service, and keeps what it knows while names are not resolved. TLS ends before it.
 */
const listReplacements = (namespace: string): readonly (readonly [from: string, to: string])[] => [
  ['bind :443 ssl crt /etc/haproxy/certs/widget-service.pem alpn h2,http/1.1', `bind :${port}`],
  ['X-Forwarded-Proto https', 'X-Forwarded-Proto http'],
  [
    'server pod-1 10.0.0.11:8080',
    // haproxy does not try the domains of resolv.conf, so the name is whole.
    `server-template pod- 10 widget-api-pods.${namespace}.svc.cluster.local:8080 resolvers cluster init-addr none`,
  ],
  ['  server pod-2 10.0.0.12:8080\n', ''],
  [
    'frontend public',
    `resolvers cluster
  parse-resolv-conf
  accepted_payload_size 8192
  timeout resolve 1s
  timeout retry 1s
  hold valid 1s
  hold other 60s
  hold refused 60s
  hold nx 60s
  hold timeout 60s

frontend public`,
  ],
];

/** Returns the shipped file for a pod. Throws if it does not contain what is replaced. */
function adaptFile(namespace: string): string {
  return listReplacements(namespace).reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`haproxy.cfg does not contain "${from}"`);
      return text.replaceAll(from, to);
    },
    readFileSync(shippedFile, 'utf8'),
  );
}

/** Starts haproxy with its shipped file as a pod in front of the api pods. Returns its URL when it is ready. */
export async function startProxyPod({ namespace, kubectl, image, node }: ProxyPodOptions): Promise<string> {
  const labels = { app: 'haproxy' };
  const folder = '/usr/local/etc/haproxy';
  const container = {
    name: 'haproxy',
    image,
    command: ['haproxy', '-db', '-f', `${folder}/haproxy.cfg`],
    ports: [{ name: 'http', containerPort: port }],
    // It has found the pods.
    startupProbe: { httpGet: { path: '/console/', port: 'http' }, periodSeconds: 1, failureThreshold: 30 },
    readinessProbe: { tcpSocket: { port: 'http' }, periodSeconds: 1 },
    volumeMounts: [{ name: 'file', mountPath: folder }],
    securityContext: restricted,
  };
  const podSpec = {
    nodeName: node,
    containers: [container],
    volumes: [{ name: 'file', configMap: { name: 'haproxy' } }],
  };
  const api = { 'app.kubernetes.io/name': 'widget-service', 'app.kubernetes.io/component': 'api' };
  const toObject = (apiVersion: string, kind: string, name: string, rest: object) => ({
    ...{ apiVersion, kind, metadata: { name, namespace } },
    ...rest,
  });
  await applyObjects([
    toObject('v1', 'ConfigMap', 'haproxy', { data: { 'haproxy.cfg': adaptFile(namespace) } }),
    // Only ready pods: haproxy sends requests to a new address before its first check of it.
    toObject('v1', 'Service', 'widget-api-pods', {
      spec: { clusterIP: 'None', selector: api, ports: [{ name: 'http', port: 8080 }] },
    }),
    toObject('v1', 'Service', 'haproxy', {
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    }),
    toObject('apps/v1', 'Deployment', 'haproxy', {
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
    }),
  ]);
  await kubectl('rollout', 'status', 'deployment/haproxy', '--timeout', '60s');
  const address = await kubectl('get', 'service', 'haproxy', '--output', 'jsonpath={.spec.clusterIP}');
  return `http://${address.trim()}`;
}
