import type { HookKind } from './event-kind.ts';

// How an integration understands a sender that cannot send hooks as the interface describes them: its signature scheme,
// and where the members of a hook are in its requests. Declared, never programmed.

/** The senders with a scheme and defaults of their own (`presets.ts` of the api). `custom` has the defaults alone. */
export const sourcePresets = [
  'github',
  'gitlab',
  'stripe',
  'shopify',
  'slack',
  'linear',
  'twilio',
  'twilio-shared-key',
  'standard-webhooks',
  'cloudevents',
  'custom',
] as const;
export type SourcePreset = (typeof sourcePresets)[number];

/** A sender, as an integration keeps it. Its secrets are sealed to a key of the token (`sealed-secrets.ts`). */
export interface HookSource {
  readonly preset: SourcePreset;
  /** Only with the preset `custom`: how requests are signed. Null: as the preset says. */
  readonly scheme: SignatureScheme | null;
  readonly mapping: HookMapping;
}

/** `token`: the header holds the secret itself. `basic`: it holds `user:password`. `none`: nothing is checked. */
type SignatureAlgorithm = 'hmac-sha1' | 'hmac-sha256' | 'hmac-sha512' | 'ed25519' | 'token' | 'basic' | 'none';

/** How a sender proves that it sent a request. */
export interface SignatureScheme {
  readonly algorithm: SignatureAlgorithm;
  /** The header with the signatures, in lower case. */
  readonly header: string;
  /** The character that separates the entries of the header. Null: it has one entry. */
  readonly separator: string | null;
  /** What a signature begins with, such as `sha256=`. Entries that begin with anything else are ignored. */
  readonly prefix: string;
  /** How a signature is written: hexadecimal in either case, or Base64 in either alphabet, padded or not. */
  readonly encoding: 'hex' | 'base64';
  /** What is signed: a text with the places `{body}`, `{timestamp}`, `{id}`, `{url}` and `{form}`. */
  readonly signed: string;
  /**
   * The name of the parameter of the address that holds the SHA-256 (hexadecimal) of a body, where `signed` has the
   * address and not the body. A form needs none. Null: `signed` has the body.
   */
  readonly bodyHashParameter: string | null;
  /** Where the time of the signature is. Null: the scheme has none. */
  readonly timestamp: SignatureTime | null;
  /** How far that time may differ from our clock, in either direction, in seconds. */
  readonly toleranceSeconds: number;
  /** The header with the id that is signed (`{id}`). Null: none is. */
  readonly idHeader: string | null;
  /** How the secrets are written. `whsec`: base64 after `whsec_` or, for a public key, after `whpk_`. */
  readonly secretEncoding: 'text' | 'hex' | 'base64' | 'whsec';
  /**
   * The parameter of a GET whose text answers it, such as `hub.challenge`. Empty: an empty text answers each. Null or,
   * in a scheme that was stored before there was one, left out: a GET is not answered.
   */
  readonly challengeParameter?: string | null;
}

/** A header, an entry of the header with the signatures that begins with `entry`, or a place in the body. */
export type SignatureTime =
  | { readonly header: string; readonly unit: TimeUnit }
  | { readonly entry: string; readonly unit: TimeUnit }
  | { readonly from: string; readonly unit: TimeUnit };

type TimeUnit = 'seconds' | 'milliseconds';

/** Where a text is: at a JSON Pointer (RFC 6901) into the body, in a header (lower case), or a constant. */
export type TextPlace = { readonly from: string } | { readonly header: string } | { readonly value: string };

/** One place, or several: then the text is the JSON array of their texts, which no other texts give. */
export type TextPlaces = TextPlace | { readonly all: readonly TextPlace[] };

/** `ignore`: the request is answered with 202, and has no effect. `refuse`: with `hook-not-mappable`. */
export type KindOutcome = HookKind | 'ignore' | 'refuse';

/** Where the members of a hook are in the requests of a sender. */
export interface HookMapping {
  /** If one does not match, the request is ignored. */
  readonly only: readonly TextFilter[];
  readonly kind: KindMapping;
  readonly occurredAt: TimeMapping;
  /** Null: hooks have no widget. */
  readonly widgetId: WidgetIdMapping | null;
  /** What identifies repetitions. Null: the content does, if the integration deduplicates by content. */
  readonly id: TextPlaces | null;
  /**
   * An object in the body, without the members at the JSON Pointers (into the object) of `without`. Null: hooks have no
   * payload.
   */
  readonly payload: { readonly from: string; readonly without?: readonly string[] } | null;
}

export interface TextFilter {
  readonly place: TextPlace;
  readonly in: readonly string[];
}

export interface KindMapping {
  readonly place: TextPlace;
  /** What each text of the sender stands for. A text that is a kind itself needs no entry. */
  readonly values: Readonly<Record<string, KindOutcome>>;
  /** For a text without entry, and where there is none. */
  readonly otherwise: KindOutcome;
}

export type TimeFormat = 'rfc3339' | 'unix-seconds' | 'unix-milliseconds';

/** Null as the place: the time of the arrival. */
export interface TimeMapping {
  readonly place: TextPlace | null;
  readonly format: TimeFormat;
  /** Where there is no time. */
  readonly otherwise: 'now' | 'refuse';
}

export interface WidgetIdMapping {
  readonly place: TextPlaces;
  /** `name`: any text; the widget is `deriveWidgetId(integration, text)`. */
  readonly as: 'uuid' | 'name';
  /** Where there is no text. */
  readonly otherwise: 'none' | 'refuse';
}
