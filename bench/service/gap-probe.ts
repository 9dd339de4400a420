/**
 * Preloaded into a service (`NODE_OPTIONS=--import`): measures how long its event loop did not turn. `GET` on GAP_PORT returns the
 * longest gap since the last call, in milliseconds, and the longest time that the main thread itself computed between two turns, which
 * does not grow when other processes use the processor, and the memory of the process now.
 */
import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';

const INTERVAL_MS = 2;
const MICROSECONDS = 1000;
const BYTES_PER_MIB = 1_048_576;

const port = process.env['GAP_PORT'];
if (isMainThread && port !== undefined && process.argv[1]?.endsWith('main.ts')) {
  let lastTurn = performance.now();
  let lastCpu = process.threadCpuUsage();
  let longest = { gapMs: 0, computingMs: 0 };
  setInterval(() => {
    const now = performance.now();
    const { user, system } = process.threadCpuUsage(lastCpu);
    longest = {
      gapMs: Math.max(longest.gapMs, now - lastTurn - INTERVAL_MS),
      computingMs: Math.max(longest.computingMs, (user + system) / MICROSECONDS),
    };
    lastTurn = now;
    lastCpu = process.threadCpuUsage();
  }, INTERVAL_MS).unref();
  createServer((_request, response) => {
    const rssMiB = process.memoryUsage.rss() / BYTES_PER_MIB;
    response.end(JSON.stringify({ ...longest, rssMiB }));
    longest = { gapMs: 0, computingMs: 0 };
  })
    .listen(Number(port), '127.0.0.1')
    .unref();
}
