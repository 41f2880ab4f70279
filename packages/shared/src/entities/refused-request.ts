import { z } from 'zod';
import { defineEntity, type EntityOf, jsonText, storedTime, storedUuid } from './define-entity.ts';
import { code, count, listOf, mapOf, text } from './shape-checks.ts';

/** What is kept of the refused hooks of an integration. `IntakeRecorder` drops the oldest above the number. */
export const refusalLimits = { perIntegration: 100, keepMs: 7 * 86_400_000, webhookIdLength: 256 } as const;
/** The same of those that are kept as they were sent. One with a larger body is not kept. */
export const sampleLimits = { perIntegration: 10, keepMs: 86_400_000, bodyBytesMax: 65_536 } as const;

function defineRefusedRequest<Name extends string, Own extends z.ZodRawShape>(name: Name, own: Own) {
  return defineEntity({
    name,
    key: 'requestId',
    namedBy: 'requestId',
    order: ['refusedAt', 'requestId'],
    indexes: { of_integration: ['integrationId', '-refusedAt', '-requestId'] },
    expires: 'expiresAt',
    mayBeLost: true,
    members: z.object({
      /** The id of the request in its problem and its log line. */
      requestId: storedUuid,
      integrationId: storedUuid,
      refusedAt: storedTime,
      expiresAt: storedTime,
      /** The code of the problem that the sender got. */
      code: z.custom<string>(code),
      ...own,
    }),
  });
}

/**
 * A refused hook of a known integration, with the problem that its sender got. It holds neither the token nor anything
 * of the body.
 */
export const refusalEntity = defineRefusedRequest('refusals', {
  status: z.int().min(400).max(599),
  detail: z.string(),
  /** The mistakes in the problem. Empty if it named no single ones. They never hold a value that was sent. */
  errors: z.array(
    z.object({
      detail: z.string(),
      code: z.custom<string>(code),
      pointer: z.string().exactOptional(),
      parameter: z.string().exactOptional(),
      header: z.string().exactOptional(),
    }),
  ),
  /** The address that rate limits count. Null if it cannot be known. */
  clientAddress: z.string().nullable(),
  /** The `webhook-id` that was sent, cut to `refusalLimits.webhookIdLength`. Null if there was none. */
  webhookId: z.string().nullable(),
  /** How many later refusals this one stands for: they had the same code, in the same second, on the same pod. */
  unlisted: z.custom<number>(count),
});

/**
 * A refused request of a foreign sender as it was sent: a sample. It holds neither the token nor a secret of the
 * sender. None is kept unless somebody asked for it (`samplesKeptUntil` of the integration).
 */
export const sampleEntity = defineRefusedRequest('samples', {
  /** The step that failed, and where in the body (JSON Pointer) or in which header, as a preview says it. */
  refusal: z.object({
    step: z.string(),
    reason: z.string(),
    pointer: z.string().exactOptional(),
    header: z.string().exactOptional(),
  }),
  /** The values of each header, by its name in lower case. */
  headers: jsonText(z.custom<Readonly<Record<string, readonly string[]>>>(mapOf(listOf(text)))),
  /** The names of the headers that are left out, because they may hold a secret or an address. */
  withheldHeaders: z.array(z.string()),
  body: z.string(),
});

export type HookRefusal = EntityOf<typeof refusalEntity>;
export type HookSample = EntityOf<typeof sampleEntity>;
/** What refusals and samples have in common. */
export type RefusedRequest = Pick<HookRefusal, keyof HookRefusal & keyof HookSample>;
