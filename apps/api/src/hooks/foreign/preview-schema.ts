import { hookKinds } from '@widget-service/shared/domain/event-kind.ts';
import { z } from 'zod';
import { widgetEventSchema } from '../../schemas/widget-event.ts';
import { exampleSource, triedSourceSchema } from '../../sources/source-schema.ts';

const headersMax = 100;

const exampleRequest = {
  headers: { 'content-type': 'application/json', 'x-github-event': 'repository', 'x-github-delivery': 'a-delivery' },
  body: '{"action":"archived","repository":{"full_name":"acme/pump"}}',
};

const requestMembers = {
  headers: z
    .record(z.string(), z.union([z.string(), z.array(z.string())]))
    .refine((headers) => Object.keys(headers).length <= headersMax, `Must have at most ${headersMax} members.`)
    .optional()
    .meta({
      description:
        'The headers of the request. An array: it was sent several times. If the header with the secret or the signature is an empty text, the signature is not verified.',
      examples: [{ 'content-type': 'application/json', 'x-github-event': 'repository' }],
    }),
  body: z.string().describe('The body of the request, as the sender sent it: a signature depends on each byte.'),
  url: z
    .string()
    .refine((url) => URL.canParse(url), 'Must be a URL.')
    .optional()
    .describe(
      'The address that the sender posts to. Some senders sign it. For an integration that exists, only the address opens its secrets: without it, the signature is not verified.',
    ),
};

export const sourcePreviewSchema = z
  .strictObject({ source: triedSourceSchema, ...requestMembers })
  .meta({ id: 'NewSourcePreview', examples: [{ source: exampleSource, ...exampleRequest }] });

export const integrationPreviewSchema = z
  .strictObject(requestMembers)
  .meta({ id: 'NewHookPreview', examples: [exampleRequest] });

const step = z.enum(['signature', 'body', 'only', 'kind', 'occurredAt', 'widgetId', 'id', 'payload']);

/** The response is rendered by hand (`renderPreview`), because the payload keeps its own text. */
export const previewSchema = z
  .object({
    outcome: z
      .enum(['hook', 'ignored', 'answered', 'refused'])
      .describe(
        '`hook`: it would be accepted. `ignored`: answered with 202, without effect. `answered`: a handshake of the sender, answered with 200 and `answer`. `refused`: see `refusal`.',
      ),
    signature: z.object({
      result: z.enum(['valid', 'invalid', 'not-verified']),
      secret: z.int().nullable().describe('Which secret of the integration, from 1.'),
      reason: z.string().nullable().describe('Why it is not valid.'),
    }),
    mapped: z
      .array(
        z.object({
          member: step,
          read: z.string().nullable().describe('The text in the request; null: there is none.'),
          became: z
            .string()
            .nullable()
            .describe('The member of the hook, or what the mapping decided; null: nothing, or the text is refused.'),
        }),
      )
      .describe('Each value that was read, in the order in which it was read.'),
    answer: z.string().nullable(),
    refusal: z
      .object({
        step,
        reason: z.string(),
        pointer: z.string().optional(),
        header: z.string().optional(),
      })
      .nullable()
      .describe('The step that failed. Null: none did.'),
    hook: z
      .object({
        kind: z.enum(hookKinds),
        occurredAt: z.string(),
        widgetId: z.string().nullable(),
        id: z.string().nullable().describe('What identifies repetitions.'),
        payload: z.record(z.string(), z.unknown()).nullable(),
      })
      .nullable()
      .describe('The hook as the interface describes hooks. Null: there is none.'),
    event: widgetEventSchema
      .nullable()
      .describe(
        'The event as streams would send it now. Before the integration exists, it names the nil UUID as its integration, and no widget that is known by a name.',
      ),
  })
  .meta({ id: 'HookPreview', description: 'What the service would do with a request. Nothing is stored.' });
