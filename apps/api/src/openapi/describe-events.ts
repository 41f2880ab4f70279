import { hookEventSchema } from '../hooks/hook-event-schema.ts';
import { makeReadOnce, sendKept, toKeptDocument } from '../http/kept-content.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { streamMessages, streamText } from '../streams/stream-message-schema.ts';
import { info } from './interface-text.ts';
import { type OpenApiObject, SchemaComponents } from './schema-components.ts';

/** `GET /api/v1/asyncapi.json`: the AsyncAPI document. It is built at the first request. */
export function asyncApiRoute({ publicBaseUrl }: { readonly publicBaseUrl: string | null }): Route {
  const read = makeReadOnce(() => toKeptDocument(describeAsyncInterface(publicBaseUrl)));
  return defineRoute({
    schema: { hide: true },
    handler: async (request, reply) => sendKept(request, reply, await read()),
  });
}

/**
 * Builds an AsyncAPI 3.0 document of the stream and of hooks, from the schemas that OpenAPI describes them with. It
 * takes the view of the service, as AsyncAPI asks for: the service sends events and receives hooks.
 */
function describeAsyncInterface(publicBaseUrl: string | null): object {
  const components = new SchemaComponents();
  const messages = { ...describeStreamMessages(components), hook: describeHook(components) };
  const refersTo = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
  const streamNames = Object.keys(messages).filter((name) => name !== 'hook');
  return {
    asyncapi: '3.0.0',
    info: {
      title: info.title,
      version: info.version,
      description: `${info.summary} The OpenAPI document, \`openapi.json\` beside this one, describes the rest.`,
      license: { name: info.license.name },
    },
    ...(publicBaseUrl === null ? {} : { servers: { service: describeServer(new URL(publicBaseUrl)) } }),
    defaultContentType: 'application/json',
    channels: {
      stream: {
        address: '/api/v1/events/{token}',
        title: 'Stream of widget events',
        description: streamText,
        parameters: { token: { description: 'The token of a subscription. It is the only credential.' } },
        messages: refersTo(streamNames),
      },
      hooks: {
        address: '/api/v1/events/hooks/{token}',
        title: 'Hooks',
        description: 'Other systems post here what has happened to a widget. A hook that was answered 202 is not lost.',
        parameters: { token: { description: 'The token of an integration. It authenticates the sender.' } },
        messages: refersTo(['hook']),
      },
    },
    operations: {
      sendEvents: describeOperation('send', 'stream', 'GET', 'Events go to everybody who holds the stream open.'),
      receiveHook: describeOperation('receive', 'hooks', 'POST', 'Accepts one hook.'),
    },
    components: { messages, schemas: components.toJSON() },
  };
}

function describeServer({ host, protocol, pathname }: URL): OpenApiObject {
  return { host, protocol: protocol.slice(0, -1), ...(pathname === '/' ? {} : { pathname }) };
}

function describeOperation(
  action: 'send' | 'receive',
  channel: string,
  method: string,
  summary: string,
): OpenApiObject {
  return {
    action,
    channel: { $ref: `#/channels/${channel}` },
    summary,
    bindings: { http: { method, bindingVersion: '0.3.0' } },
  };
}

/** One message for each name of an event: `widget.created` is `widgetCreated`. */
function describeStreamMessages(components: SchemaComponents): Record<string, OpenApiObject> {
  const described = streamMessages.flatMap(({ names, description, data, hasId, hasRetry }) =>
    names.map((name) => {
      const message = {
        name,
        title: name,
        summary: description,
        headers: describeFields(name, hasId, hasRetry),
        payload: components.describe(data, 'output'),
      };
      return [name.replace(/\.(.)/, (_, letter: string) => letter.toUpperCase()), message] as const;
    }),
  );
  return Object.fromEntries(described);
}

/** The fields of a server-sent event beside its data. AsyncAPI has no other place for them than the headers. */
function describeFields(name: string, hasId: boolean, hasRetry: boolean): OpenApiObject {
  return {
    type: 'object',
    required: ['event', ...(hasId ? ['id'] : []), ...(hasRetry ? ['retry'] : [])],
    properties: {
      event: { type: 'string', const: name },
      ...(hasId ? { id: { type: 'string', description: 'The position to resume from.' } } : {}),
      ...(hasRetry ? { retry: { type: 'integer', description: 'Milliseconds to wait before connecting again.' } } : {}),
    },
  };
}

function describeHook(components: SchemaComponents): OpenApiObject {
  return {
    name: 'hook',
    title: 'Hook',
    summary: 'Something happened to a widget.',
    payload: components.describe(hookEventSchema, 'input'),
  };
}
