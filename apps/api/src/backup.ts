import process from 'node:process';
import { backUpDatabase } from '@widget-service/embedded/back-up-database.ts';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import { printText } from '@widget-service/shared/runtime/log-output.ts';
import { runCommand } from '@widget-service/shared/runtime/run-process.ts';

// `npm run backup -- FILE`: copies the SQLite file of DATA_DIR, also while the service runs.
await runCommand(() => {
  // biome-ignore lint/style/noProcessEnv: settings are parsed here, once.
  const { settings, backend } = parseSettings(process.env, { app: 'api' });
  if (backend === 'cluster') {
    throw new ExitError(
      exitCodes.configuration,
      'MONGODB_URL, REDIS_URL: a cluster has no SQLite file; back up MongoDB with its own tools (docs/operations.md)',
    );
  }
  const target = process.argv[2];
  if (target === undefined) {
    throw new ExitError(exitCodes.configuration, 'name the new file of the copy: npm run backup -- FILE');
  }
  const bytes = backUpDatabase(settings.DATA_DIR, target);
  printText(`${target}: ${bytes} bytes, complete and checked\n`);
});
