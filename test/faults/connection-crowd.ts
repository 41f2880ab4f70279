import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ServiceSlot } from './service-slot.ts';

/** More than a pod of the scenario may have, so that at least 20 are refused. */
const connections = 220;

/** Opens idle connections to a pod. Those above its limit are refused, and the pod closes them. */
export function createConnectionCrowd(pod: ServiceSlot) {
  const sockets: Socket[] = [];
  return {
    open: async () => {
      const { hostname, port } = new URL(pod.process.url);
      for (let count = 0; count < connections; count += 1) {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => undefined);
        sockets.push(socket);
        await once(socket, 'connect');
      }
    },
    close: async () => {
      for (const socket of sockets.splice(0)) socket.destroy();
    },
  };
}
