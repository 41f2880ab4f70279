import type { AddressInfo } from 'node:net';
import { listenFurther } from '@widget-service/shared/runtime/listen-addresses.ts';
import type { FastifyInstance } from 'fastify';

/** The open public interface. */
export interface PublicListener {
  /** The first address. All addresses have its port. */
  readonly address: AddressInfo;
  /** Closes the app. Resolves once every connection of every address has ended. */
  close(): Promise<void>;
}

/**
 * Listens on each of the addresses, with one HTTP server for all. Fastify would listen on both addresses of `localhost`
 * itself, but its second server has none of the limits, time-outs and answers of the first.
 *
 * Rejects with the error of the system if it cannot listen on one of them.
 */
export async function listenPublicly(
  app: FastifyInstance,
  [first, ...others]: readonly string[],
  port: number,
): Promise<PublicListener> {
  await app.listen({ host: first ?? 'localhost', port });
  const further = await listenFurther(app.server, others);
  return {
    address: app.server.address() as AddressInfo,
    close: async () => {
      const furtherClosed = further.close();
      await app.close();
      await furtherClosed;
    },
  };
}
