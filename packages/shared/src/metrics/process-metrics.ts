import { Counter, Gauge, type Registry } from 'prom-client';
import { countDroppedLines } from '../runtime/log-output.ts';

/** Metrics of every process. */
export function processMetrics(registers: Registry[]) {
  return {
    buildInfo: new Gauge({
      name: 'widget_build_info',
      help: 'Always 1. The labels say what runs: version of the service, version of Node, backend.',
      labelNames: ['version', 'node', 'backend'],
      registers,
    }),
    logLinesDropped: new Counter({
      name: 'widget_log_lines_dropped_total',
      help: 'Log lines that could not be written: the disk is full, or nobody reads the log fast enough.',
      registers,
      collect() {
        this.reset();
        this.inc(countDroppedLines());
      },
    }),
    taskFailures: new Counter({
      name: 'widget_task_failures_total',
      help: 'Background tasks that failed and were restarted, by task.',
      labelNames: ['task'],
      registers,
    }),
    taskReady: new Gauge({
      name: 'widget_task_ready',
      help: 'Whether a background task makes progress: 1, or 0 if it makes the process not ready. By task.',
      labelNames: ['task'],
      registers,
    }),
  };
}
