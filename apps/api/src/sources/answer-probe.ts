import type { HookSource } from '@widget-service/shared/entities/hook-source.ts';
import { presets } from './presets.ts';
import { readHeader, type SentRequest } from './sent-request.ts';

/** A request without a body by which a sender asks whether its hooks are welcome. */
export interface Probe extends Pick<SentRequest, 'rawHeaders'> {
  readonly method: string;
  readonly query: URLSearchParams;
}

/** The 200 that a sender expects of the address before it posts a hook. */
export interface ProbeAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** Empty: it has no body. */
  readonly text: string;
}

/** An answer repeats a text of the sender, so it is bounded. */
const answerMaxLength = 1_024;
/** The characters of a header that is sent back. */
const visible = /^[\x21-\x7e]+$/;

/**
 * Returns what answers the probe. Null: it is none that this sender makes.
 *
 * - OPTIONS with `WebHook-Request-Origin`, from a sender of CloudEvents: the origin is allowed, at any rate
 *   (https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md, section 4).
 * - GET, or POST without a body, with the parameter that the scheme of a custom sender names, such as `hub.challenge`:
 *   its text. If the name is empty, each GET is answered: the sender only looks whether the address answers.
 */
export function answerProbe({ preset, scheme }: HookSource, { method, rawHeaders, query }: Probe): ProbeAnswer | null {
  if (method === 'OPTIONS' && presets[preset].asksForItsOrigin) {
    const origin = readHeader({ rawHeaders }, 'webhook-request-origin');
    if (typeof origin !== 'string' || origin.length > answerMaxLength || !visible.test(origin)) return null;
    return { headers: { 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*' }, text: '' };
  }
  const parameter = scheme?.challengeParameter ?? null;
  if (parameter === null || !['GET', 'HEAD', 'POST'].includes(method)) return null;
  if (parameter === '') return method === 'POST' ? null : { headers: {}, text: '' };
  const [text = '', ...more] = query.getAll(parameter);
  return text === '' || text.length > answerMaxLength || more.length > 0 ? null : { headers: {}, text };
}
