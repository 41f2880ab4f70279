import type { Settings } from '@widget-service/shared/config/settings.ts';
import { formatMetrics } from '@widget-service/shared/metrics/format-metrics.ts';
import { measureBackend } from '@widget-service/shared/metrics/measure-backend.ts';
import { createMetrics, recordBuild } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { openOpsServer } from '@widget-service/shared/runtime/ops-server.ts';
import { identifyProcess } from '@widget-service/shared/runtime/process-identity.ts';
import type { RunningProcess } from '@widget-service/shared/runtime/run-process.ts';
import { createProcessStateWriter, createSupervisor, recordTasks } from '@widget-service/shared/tasks/process-tasks.ts';
import { Readiness } from '@widget-service/shared/tasks/readiness.ts';
import { createWorkerTasks } from '@widget-service/shared/tasks/worker-tasks.ts';
import { noTracer, type Tracer } from '@widget-service/shared/tracing/tracer.ts';

/** Above the sum of the bounds for finishing or releasing jobs and for closing connections. */
const stopMaxMs = 60_000;

/**
 * Opens one worker on an opened backend: its tasks and the operators' HTTP server. Stopping it closes the backend and
 * the tracer. Only tests pass `outboxScanAgeMs`.
 *
 * Rejects with the error of `explainListenFailure` if it cannot listen on the operators' address. The backend then
 * stays open: the caller ends the process.
 */
export async function openWorker(
  settings: Settings,
  backend: Backend,
  logger: Logger,
  tracer: Tracer = noTracer,
  outboxScanAgeMs?: number,
): Promise<RunningProcess> {
  const metrics = createMetrics('worker');
  recordBuild(metrics, backend.kind);
  const clock = systemClock;
  const measured = measureBackend(backend, metrics);
  const readiness = new Readiness(settings, () => supervisor.checks(), false);
  const identity = identifyProcess(clock.now().getTime());
  const tasks = [
    ...createWorkerTasks({ backend: measured, clock, logger, metrics, outboxScanAgeMs, tracer }),
    createProcessStateWriter(measured.processStates, clock, async () => {
      return { ...identity, notReady: readiness.listReasons(), pod: null };
    }),
  ];
  const supervisor = createSupervisor(tasks, clock, logger, metrics);
  const ops = await openOpsServer({
    ...{ host: settings.HOST, port: settings.OPS_PORT, allowedHosts: settings.ALLOWED_HOSTS },
    formatMetrics: (accept) => formatMetrics(metrics.registry, accept),
    checks: () => readiness.checks(),
    isStarted: () => true,
    updateGauges: () => recordTasks(metrics, supervisor),
  });
  supervisor.start();
  logger.info({ ops: { host: ops.address.address, port: ops.address.port } }, 'listening');
  return {
    stopMaxMs,
    stop: async () => {
      logger.info('stopping');
      await supervisor.stop();
      await tracer.close();
      await ops.close();
      await backend.close();
      logger.info('stopped');
    },
  };
}
