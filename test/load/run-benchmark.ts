/**
 * `npm run bench -- NAME`: runs the benchmark NAME of this folder and prints one JSON line per figure. With MONGODB_URL
 * and REDIS_URL it also runs on the cluster backend.
 */
import { readdirSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Benchmark } from './benchmark.ts';

const folder = new URL('.', import.meta.url);
const otherFiles = ['run-benchmark.ts', 'benchmark.ts'];
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && !otherFiles.includes(file))
  .map((file) => file.slice(0, -3));
const [name = ''] = process.argv.slice(2);

if (names.includes(name)) {
  const { run } = (await import(new URL(`${name}.ts`, folder).href)) as Benchmark;
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`;
  const date = new Date().toISOString().slice(0, 10);
  await run((figure) => console.log(JSON.stringify({ benchmark: name, date, machine, ...figure })));
} else {
  console.error(`Usage: npm run bench -- NAME. NAME is one of: ${names.join(', ')}`);
  process.exitCode = 1;
}
