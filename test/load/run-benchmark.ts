/**
 * `npm run bench -- NAME`: runs one benchmark of `benchmarks/`, or all of them. Prints one JSON line per figure, and
 * appends it to the file BENCH_OUTPUT if that is set. With MONGODB_URL and REDIS_URL it also measures the cluster.
 */
import { appendFileSync, readdirSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Benchmark } from './benchmark.ts';

const folder = new URL('benchmarks/', import.meta.url);
const names = readdirSync(folder).map((file) => file.slice(0, -'.ts'.length));
const [name = ''] = process.argv.slice(2);
const chosen = name === 'all' ? names : names.filter((one) => one === name);
const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`;
const date = new Date().toISOString().slice(0, 10);

for (const benchmark of chosen) {
  const { run } = (await import(new URL(`${benchmark}.ts`, folder).href)) as Benchmark;
  await run((figure) => {
    const line = JSON.stringify({ benchmark, date, machine, ...figure });
    console.log(line);
    if (process.env.BENCH_OUTPUT !== undefined) appendFileSync(process.env.BENCH_OUTPUT, `${line}\n`);
  });
}
if (chosen.length === 0) {
  console.error(`Usage: npm run bench -- NAME. NAME is "all" or one of: ${names.join(', ')}`);
  process.exitCode = 1;
}
