/**
 * `npm run bench -- NAME`: runs the benchmark of that name in this folder and prints one JSON line per figure. With
 * MONGODB_URL and REDIS_URL it is run on the cluster backend too.
 */
import { readdirSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Benchmark } from './benchmark.ts';

const folder = new URL('.', import.meta.url);
const runner = ['run-benchmark.ts', 'benchmark.ts'];
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && !runner.includes(file))
  .map((file) => file.slice(0, -3));
const [name = ''] = process.argv.slice(2);

if (names.includes(name)) {
  const { run } = (await import(new URL(`${name}.ts`, folder).href)) as Benchmark;
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`;
  const date = new Date().toISOString().slice(0, 10);
  await run((figure) => console.log(JSON.stringify({ benchmark: name, date, machine, ...figure })));
} else {
  console.error(`npm run bench -- NAME, where NAME is one of: ${names.join(', ')}`);
  process.exitCode = 1;
}
