import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startService } from '../support/service-process.ts';

it('the lines printed at the first start can be pasted as they are, and show each of the four operations', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'widget-first-'));
  const service = await startService('api', { DATA_DIR: folder });
  try {
    const commands = service
      .output()
      .split('\n')
      .filter((line) => /^\s*(curl|[A-Z_]+=\$\(curl|sleep|kill) /.test(line) || /^\s*[A-Z_]+=/.test(line));
    expect(commands.length).toBeGreaterThan(4);
    const shown = await paste(`${commands.join('\n')}\nsleep 1\nkill %1\n`, folder);
    expect(shown).toMatch(/"items":\[/);
    expect(shown).toMatch(/"version":1/);
    expect(shown).toContain('event: stream.open');
    expect(shown).toContain('event: widget.created');
    expect(shown).toContain('event: widget.updated');
  } finally {
    await service.stop('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
});

/** What a shell shows for the pasted lines. */
function paste(text: string, cwd: string): Promise<string> {
  return new Promise((resolve) => {
    const shell = spawn('bash', ['-m'], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    let shown = '';
    shell.stdout.on('data', (data) => (shown += data));
    shell.stderr.on('data', (data) => (shown += data));
    shell.once('close', () => resolve(shown));
    shell.stdin.end(text);
  });
}
