import process from 'node:process';
import { migrateMongo, openMongoStores } from '@widget-service/cluster/mongo/open-mongo-stores.ts';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { findDatabaseName } from '@widget-service/shared/runtime/host-name.ts';
import { printText } from '@widget-service/shared/runtime/log-output.ts';
import { runCommand } from '@widget-service/shared/runtime/run-process.ts';

// `npm run migrate`: creates the indexes of MongoDB, then verifies them.
await runCommand(async () => {
  // biome-ignore lint/style/noProcessEnv: settings are parsed here, once.
  const { settings } = parseSettings(process.env, { app: 'migration' });
  const built = await migrateMongo(settings);
  // Opened again without migrating: this verifies the indexes, as a start in production does.
  await (await openMongoStores({ ...settings, migrate: false })).close();
  const database = findDatabaseName(settings.MONGODB_URL ?? '');
  for (const name of built) printText(`${database}: built ${name}\n`);
  printText(`${database}: all indexes exist, ${built.length} of them new\n`);
});
