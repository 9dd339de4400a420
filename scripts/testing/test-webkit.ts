/**
 * `npm run test:webkit`: the smoke of all routes in WebKit. Arguments go to Playwright's runner. Ends without an error where no WebKit
 * can be had.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { ensureWebKit, ensureXvfb } from './browsers.ts';

/** Starts a display on a free number. @returns its process and its name, such as ":99" */
async function startDisplay(xvfb: string): Promise<{ display: ChildProcess; name: string }> {
  const display = spawn(xvfb, ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const output = display.stdio[3];
  if (!output) throw new Error('The display has no output for its number');
  const [data] = (await Promise.race([
    once(output, 'data'),
    once(display, 'exit').then(() => {
      throw new Error(`${xvfb} ended before it had a display`);
    }),
  ])) as [Buffer];
  return { display, name: `:${data.toString().trim()}` };
}

const programs = ensureWebKit();
const hasDisplay = process.env['DISPLAY'] !== undefined || process.env['WAYLAND_DISPLAY'] !== undefined;
const xvfb = programs && !hasDisplay ? ensureXvfb() : undefined;
if (!programs || (!hasDisplay && xvfb === undefined))
  console.log(
    'Skipped: no WebKit is installed, and none can be installed here. Install WebKitGTK with its driver (Debian: webkit2gtk-driver), and Xvfb where there is no display.',
  );
else {
  console.log(`WebKitGTK (${programs.browser})`);
  const started = xvfb === undefined ? undefined : await startDisplay(xvfb);
  const { status } = spawnSync(
    process.execPath,
    [
      'node_modules/@playwright/test/cli.js',
      'test',
      '--config',
      'playwright.webkit.config.ts',
      ...process.argv.slice(2),
    ],
    { stdio: 'inherit', env: { ...process.env, ...(started && { DISPLAY: started.name }) } },
  );
  started?.display.kill();
  process.exitCode = status ?? 1;
}
