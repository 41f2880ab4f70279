import { readFileSync } from 'node:fs';
import { type Preset, presets } from '@widget-service/api/sources/sender-presets.ts';
import type { TextPlaces } from '@widget-service/shared/entities/hook-mapping.ts';
import type { SignatureScheme } from '@widget-service/shared/entities/hook-source.ts';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../../docs/senders.md', import.meta.url), 'utf8');

function describePlace({ all, header, from }: TextPlaces): string {
  if (all !== undefined) return all.map(describePlace).join(' and ');
  return header === undefined ? `\`${from}\` in the body` : `\`${header}\``;
}

function describeSigned({
  algorithm,
  signed,
  timestamp,
  toleranceSeconds,
  bodyHashParameter,
  idHeader,
}: SignatureScheme) {
  if (algorithm === 'token') return 'nothing';
  const hash = bodyHashParameter === null ? '' : `, or \`{url}\` with \`${bodyHashParameter}\``;
  const id = idHeader === null ? '' : `; id: \`${idHeader}\``;
  if (timestamp === null) return `\`${signed}\`${hash}${id}`;
  const time = timestamp.entry === undefined ? describePlace(timestamp) : `the entry \`${timestamp.entry}\``;
  return `\`${signed}\`${hash}${id}; time: ${time}, ± ${toleranceSeconds} s`;
}

function describe(name: string, { scheme, defaults: { id, occurredAt }, otherId, secretMembers }: Preset): string {
  const signature =
    scheme === null
      ? 'as `scheme` says'
      : `\`${scheme.header}\`: \`${scheme.prefix}\` ${scheme.algorithm}, ${scheme.encoding}`;
  const token = scheme?.algorithm === 'token' ? `\`${scheme.header}\`: \`${scheme.prefix}\` token` : signature;
  const time =
    occurredAt.now === true
      ? 'that of the arrival'
      : `${describePlace(occurredAt)}${occurredAt.otherwise === 'now' ? ', or that of the arrival' : ''}`;
  const ids = [id, otherId].filter((place) => place !== null).map(describePlace);
  return `| \`${name}\` | ${[
    token.replace('`` ', ''),
    scheme === null ? 'as `scheme` says' : describeSigned(scheme),
    ids.length === 0 ? 'none' : ids.join(', or '),
    time,
    secretMembers.length === 0 ? 'nothing' : secretMembers.map((pointer) => `\`${pointer}\``).join(', '),
  ].join(' | ')} |`;
}

test('docs/senders.md says of each preset what the service reads', () => {
  const rows = Object.entries(presets).map(([name, preset]) => describe(name, preset));
  const table = ['| Preset | Signature | Signed | Id | Time | Left out |', '|---|---|---|---|---|---|', ...rows].join(
    '\n',
  );
  expect(page).toContain(table);
});
