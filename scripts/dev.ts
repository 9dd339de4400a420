/** `npm run dev`: serves the console with hot reload as a proxy of the service, and starts the service if none is running. */
import { spawn } from 'node:child_process';
import { createServer } from 'vite';

const service = process.env['STEWARD_SERVICE'] ?? `http://127.0.0.1:${process.env['PORT'] ?? 4400}`;
process.env['STEWARD_SERVICE'] = service;

const isServiceReady = () =>
  fetch(`${service}/readyz`).then(
    () => true,
    () => false,
  );

const vite = await createServer();
await vite.listen();
vite.printUrls();

if (!(await isServiceReady())) {
  const child = spawn(
    process.execPath,
    ['--watch-path=service', '--watch-path=contract', 'service/main.ts'],
    {
      stdio: 'inherit',
      // Links that the service prints or mails open this console.
      env: { PUBLIC_URL: vite.resolvedUrls?.local[0], ...process.env },
    },
  );
  const stop = () => child.kill('SIGTERM');
  process.on('SIGINT', stop).on('SIGTERM', stop);
  child.once('exit', () => void vite.close().finally(() => process.exit()));
}
