import process from 'node:process';
import { beginNewEpoch } from '@widget-service/cluster/begin-new-epoch.ts';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { printText } from '@widget-service/shared/runtime/log-output.ts';
import { runCommand } from '@widget-service/shared/runtime/run-process.ts';

// `npm run new-epoch`, for a MongoDB that was restored from a backup: see `beginNewEpoch`.
await runCommand(async () => {
  // biome-ignore lint/style/noProcessEnv: settings are parsed here, once.
  const { settings } = parseSettings(process.env, { app: 'worker' });
  const { run, begin, marksRemoved } = await beginNewEpoch(settings);
  printText(
    `started epoch ${begin.epoch}; the next run number is above ${run}; removed ${marksRemoved} dedupe marks of earlier events\n`,
  );
});
