import { hookEventSchema } from '../schemas/hook-event.ts';
import { streamMessages, streamText } from '../streams/stream-message-schema.ts';
import { describeEventFields } from './describe-responses.ts';
import { info } from './interface-text.ts';
import { SchemaComponents } from './schema-components.ts';

/**
 * Builds an AsyncAPI 3.0 document of the stream and of hooks, from the schemas that OpenAPI describes them with. It
 * takes the view of the service, as AsyncAPI asks for: the service sends events and receives hooks.
 */
export function describeMessages(publicBaseUrl: string | null): object {
  const components = new SchemaComponents();
  const sent = streamMessages.flatMap(({ names, description, data, ...fields }) =>
    names.map((name) => {
      // AsyncAPI has no place but the headers for the fields of a server-sent event beside its data.
      const headers = describeEventFields({ event: { type: 'string', const: name } }, fields);
      const payload = components.describe(data, 'output');
      const id = name.replace(/\.(.)/, (_, letter: string) => letter.toUpperCase());
      return [id, { name, title: name, summary: description, headers, payload }] as const;
    }),
  );
  const payload = components.describe(hookEventSchema, 'input');
  const hook = { name: 'hook', title: 'Hook', summary: 'Something happened to a widget.', payload };
  const description = `${info.summary} The OpenAPI document, \`openapi.json\` beside this one, describes the rest.`;
  const { host, protocol, pathname } = new URL(publicBaseUrl ?? 'http://unknown');
  const server = { host, protocol: protocol.slice(0, -1), ...(pathname === '/' ? {} : { pathname }) };
  return {
    asyncapi: '3.0.0',
    info: { title: info.title, version: info.version, description, license: { name: info.license.name } },
    ...(publicBaseUrl === null ? {} : { servers: { service: server } }),
    defaultContentType: 'application/json',
    channels: {
      stream: {
        address: '/api/v1/events/{token}',
        title: 'Stream of widget events',
        description: streamText,
        parameters: { token: { description: 'The token of a subscription. It is the only credential.' } },
        messages: Object.fromEntries(sent.map(([id]) => [id, { $ref: `#/components/messages/${id}` }])),
      },
      hooks: {
        address: '/api/v1/events/hooks/{token}',
        title: 'Hooks',
        description: 'Other systems post here what has happened to a widget. A hook that was answered 202 is not lost.',
        parameters: { token: { description: 'The token of an integration. It authenticates the sender.' } },
        messages: { hook: { $ref: '#/components/messages/hook' } },
      },
    },
    operations: {
      sendEvents: operation('send', 'stream', 'GET', 'Events go to everybody who holds the stream open.'),
      receiveHook: operation('receive', 'hooks', 'POST', 'Accepts one hook.'),
    },
    components: { messages: { ...Object.fromEntries(sent), hook }, schemas: components.toJSON() },
  };
}

function operation(action: 'send' | 'receive', channel: string, method: string, summary: string): object {
  const bindings = { http: { method, bindingVersion: '0.3.0' } };
  return { action, channel: { $ref: `#/channels/${channel}` }, summary, bindings };
}
