import type { FailureKind } from './failure-kind.ts';

/** Nobody has answered at the address, or not in time, or the connection broke. `cause` is what `fetch` said. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** `caller` if waiting does not help: the certificate is not trusted, or nothing there speaks TLS. */
  readonly kind: FailureKind;
  /** Where nobody has answered, without secrets. */
  readonly address: string;

  constructor(address: string, cause: unknown) {
    const causes = listCauses(cause);
    const isFinal = causes.some(isFinalCause);
    const { code = '', message = '' } = causes.at(-1) ?? {};
    const reason = message.trim() || code || 'no reason is known';
    super(`${address} ${isFinal ? 'cannot be reached' : 'does not answer'}: ${reason}`, { cause });
    this.kind = isFinal ? 'caller' : 'outage';
    this.address = address;
  }
}

interface Cause {
  readonly code: string;
  readonly message: string;
}

/** The error and what is behind it: `fetch` itself only says that it has failed. */
function listCauses(error: unknown): Cause[] {
  const causes: Cause[] = [];
  for (let next = error; next instanceof Error && causes.length < 5; next = next.cause) {
    causes.push({ code: 'code' in next ? String(next.code) : '', message: next.message });
  }
  return causes;
}

/** Node and Bun have codes for what no retry can heal, Deno only says it. Browsers tell nothing. */
function isFinalCause({ code, message }: Cause): boolean {
  return finalCodes.test(code) || finalMessages.test(message);
}

const finalCodes = /CERT|^UNABLE_TO_(?:VERIFY|GET_ISSUER)|^ERR_SSL_WRONG_VERSION_NUMBER$/;
const finalMessages = /^(?:bad port|unknown scheme)$|invalid peer certificate/;
