/**
 * `npm run write:client-interface`: writes the types of `packages/client`, and what each operation answers, from the
 * OpenAPI document of the service.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientAnswersFile, generateClientAnswers } from '../drivers/app/client-answers.ts';
import { clientInterfaceFile, generateClientInterface } from '../drivers/app/client-interface.ts';
import { fetchOpenApiDocument } from '../drivers/app/openapi-document.ts';
import { startService } from '../drivers/cluster/service-process.ts';

const folder = await mkdtemp(join(tmpdir(), 'widget-interface-'));
const service = await startService('api', { DATA_DIR: folder });
try {
  const document = await fetchOpenApiDocument(service);
  await writeFile(clientInterfaceFile, await generateClientInterface(document));
  await writeFile(clientAnswersFile, generateClientAnswers(document));
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}
