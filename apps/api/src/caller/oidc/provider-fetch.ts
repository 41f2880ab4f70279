import type { CustomFetch } from 'openid-client';

/** Far more than metadata, keys or tokens need. */
const responseBytesMax = 1_048_576;

/** The identity provider does not answer, is overloaded, or answers with something else than the protocol allows. */
export class ProviderFailure extends Error {}

/**
 * Makes the function that sends every request to the identity provider. It sends none to another origin than the
 * issuer's: the addresses come from the provider's metadata, and must not turn this service into a client of internal
 * servers. It follows no redirects, and reads at most 1 MiB of a response. The library's time limit (`signal`) also
 * ends the reading. Throws `ProviderFailure`, also for 429 and 5xx.
 */
export function makeProviderFetch(issuerUrl: string): CustomFetch {
  const { origin } = new URL(issuerUrl);
  return async (url, options) => {
    if (new URL(url).origin !== origin) {
      throw new ProviderFailure('its metadata names an endpoint with another origin than the issuer');
    }
    try {
      const response = await fetch(url, { ...(options as RequestInit), redirect: 'manual' });
      const { status, headers } = response;
      if (status === 429 || status >= 500) throw new ProviderFailure(`it answered ${status}`);
      const body = await readBody(response);
      return new Response(body.length === 0 ? null : body, { status, headers });
    } catch (error) {
      throw error instanceof ProviderFailure ? error : new ProviderFailure(describeFailure(error));
    }
  };
}

async function readBody(response: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest of the response.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > responseBytesMax) throw new ProviderFailure(`its answer has more than ${responseBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** `fetch` fails with a text that says nothing; the reason is in `cause`. Neither contains what was sent. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? `${error.message}: ${cause.code}` : error.message;
}
