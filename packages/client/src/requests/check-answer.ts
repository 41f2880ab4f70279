import { readMediaType } from './failures.ts';
import { type Answer, hasShape } from './shape.ts';
import { isRedirect, UnexpectedResponseError } from './unexpected-response-error.ts';

/**
 * Checks that a successful response is what the service answers to this operation: by its status, its content type and
 * the members of its body. A proxy may answer 200 to everything.
 *
 * @throws {UnexpectedResponseError} if it is not.
 */
export async function checkAnswer(url: string, response: Response, answer: Answer): Promise<void> {
  const { statuses, body } = answer;
  const expected = `${statuses.join(' or ')} ${body === null ? 'without content' : 'application/json'}`;
  if (isRedirect(response) || !statuses.includes(response.status)) {
    throw new UnexpectedResponseError({ url, response, expected });
  }
  const text = await response.clone().text();
  if (body === null) {
    if (text !== '') throw new UnexpectedResponseError({ url, response, expected });
    return;
  }
  if (readMediaType(response) !== 'application/json') throw new UnexpectedResponseError({ url, response, expected });
  if (hasShape(parse(text), body)) return;
  throw new UnexpectedResponseError({ url, response, mistake: 'that does not answer this request' });
}

/** Undefined for a text that is not JSON: no shape fits that. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
