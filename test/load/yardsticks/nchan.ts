import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../drivers/tools/free-port.ts';

/** nginx with its module nchan, as a second yard-stick for streams: one worker process, 1 000 messages of history. */
export interface Nchan {
  /** The worker process, which does all the work. */
  readonly pid: number;
  readonly streamUrl: string;
  readonly publishUrl: string;
  stop(): Promise<void>;
}

const modulePath = '/usr/lib/nginx/modules/ngx_nchan_module.so';

/** Returns null where nchan is not installed. On Debian: the package `libnginx-mod-nchan`. */
export async function startNchan(): Promise<Nchan | null> {
  if (!existsSync(modulePath)) return null;
  const folder = mkdtempSync(join(tmpdir(), 'widget-bench-nchan-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configure(folder, port));
  const child = spawn('nginx', ['-c', file, '-p', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries += 1) {
    if (
      await fetch(`${url}/ready`).then(
        () => true,
        () => false,
      )
    )
      break;
    if (tries > 100 || child.exitCode !== null) throw new Error('nginx with nchan did not start');
    await delay(50);
  }
  return {
    pid: readChildPid(child.pid ?? 0),
    streamUrl: `${url}/stream`,
    publishUrl: `${url}/publish`,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

function readChildPid(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}

function configure(folder: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  return `
load_module ${modulePath};
daemon off;
user root;
worker_processes 1;
worker_rlimit_nofile 20000;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 20000; }
http {
  ${temporary}
  access_log off;
  nchan_max_reserved_memory 512M;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    keepalive_requests 1000000;
    location /ready { return 204; }
    location /publish { nchan_publisher; nchan_channel_id all; nchan_message_buffer_length 1000; }
    location /stream { nchan_subscriber eventsource; nchan_channel_id all; nchan_subscriber_first_message newest; }
  }
}
`;
}
