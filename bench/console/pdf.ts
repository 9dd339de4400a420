/**
 * The first page of a PDF file of 50 MB in our viewer and in the viewer component of pdf.js, in the same browser, and the memory that
 * is left after files were closed. The file comes from a server of the benchmark, which answers ranges: uploads to entries end at 25 MiB.
 */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from '@playwright/test';
import { build } from 'vite';
import { deferLastPageCheck } from '../../scripts/pdf-files.ts';
import type { Bench, Measure } from '../bench.ts';
import { percentile, sum } from '../bench.ts';
import { openBrowser } from '../browser/chromium.ts';
import { measureHeapMb } from '../browser/heap.ts';
import { buildLargePdf } from './pdf/large-pdf.ts';
import type { PdfBenchWindow } from './pdf/window.ts';

const MEGABYTES = 50;
const ROUNDS = 7;
const CLOSED_FILES = 20;
const MAX_FIRST_PAGE_MS = 700;
const MAX_RATIO = 1.3;
const MAX_LEFT_MB = 30;
const FRAMES_PER_SECOND = 60;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
};

async function buildPages(outDir: string): Promise<void> {
  const input = {
    ours: fileURLToPath(new URL('pdf/ours-page.ts', import.meta.url)),
    peer: fileURLToPath(new URL('pdf/peer-page.ts', import.meta.url)),
  };
  await build({
    configFile: false,
    logLevel: 'error',
    worker: { format: 'es', plugins: () => [deferLastPageCheck()] },
    build: {
      outDir,
      target: 'es2024',
      rolldownOptions: { input, output: { entryFileNames: '[name].js', assetFileNames: '[name][extname]' } },
    },
  });
}

/** Serves the pages and the file, whose parts are answered as the service answers them. */
async function serve(folder: string, file: Buffer): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://bench').pathname;
    if (path === '/file.pdf') {
      const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
      const [from, to] = range ? [Number(range[1]), Number(range[2])] : [0, file.length - 1];
      const part = file.subarray(from, to + 1);
      response.writeHead(range ? 206 : 200, {
        'content-type': 'application/pdf',
        'content-length': part.length,
        'accept-ranges': 'bytes',
        'cache-control': 'no-store',
        ...(range && { 'content-range': `bytes ${from}-${to}/${file.length}` }),
      });
      response.end(request.method === 'HEAD' ? undefined : part);
      return;
    }
    if (path === '/ours' || path === '/peer') {
      response.writeHead(200, { 'content-type': 'text/html' });
      const head = `<link rel="stylesheet" href="${path}.css">`;
      response.end(`<!doctype html>${head}<body><script type="module" src="${path}.js"></script>`);
      return;
    }
    readFile(join(folder, path)).then(
      (content) => response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? '' }).end(content),
      () => response.writeHead(404).end(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() };
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(url);
  await page.waitForFunction(() => 'openOnce' in window);
  return page;
}

const openOnce = (page: Page, close = true) =>
  page.evaluate((closes) => (window as unknown as PdfBenchWindow).openOnce(closes), close);

/** Frames a second while the page scrolls through a file that it opens. */
async function measureScrollRate(page: Page): Promise<number> {
  await page.bringToFront();
  await openOnce(page, false);
  const frames = await page.evaluate(() => (window as unknown as PdfBenchWindow).scrollFile());
  return (1000 * frames.length) / sum(frames);
}

/** Heap sizes after the workers of closed files have ended. */
async function measureClosedHeapMb(page: Page): Promise<number> {
  await Promise.all(page.workers().map((worker) => new Promise((resolve) => worker.once('close', resolve))));
  const heap = await measureHeapMb(page);
  return heap.page + heap.workers;
}

async function measure(): Promise<Measure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-bench-pdf-'));
  await buildPages(folder);
  const server = await serve(folder, buildLargePdf(MEGABYTES));
  const browser = await openBrowser();
  try {
    const ours = await openPage(browser, `${server.url}/ours`);
    const peer = await openPage(browser, `${server.url}/peer`);
    const times = { ours: [] as number[], peer: [] as number[] };
    await openOnce(ours);
    await openOnce(peer);
    // In turn, so that other work on the machine slows both alike.
    for (let round = 0; round < ROUNDS; round += 1) {
      times.ours.push(await openOnce(ours));
      times.peer.push(await openOnce(peer));
    }
    const before = await measureClosedHeapMb(ours);
    for (let at = 0; at < CLOSED_FILES; at += 1) await openOnce(ours);
    const after = await measureClosedHeapMb(ours);
    const [firstPage, peerFirstPage] = [percentile(times.ours, 0.5), percentile(times.peer, 0.5)];
    const [scrollRate, peerScrollRate] = [await measureScrollRate(ours), await measureScrollRate(peer)];
    return [
      {
        name: `first page of ${MEGABYTES} MB (median of ${ROUNDS})`,
        ours: firstPage,
        floor: peerFirstPage,
        unit: 'ms',
        maximum: Math.min(MAX_FIRST_PAGE_MS, peerFirstPage * MAX_RATIO),
      },
      {
        name: `memory left after ${CLOSED_FILES} files`,
        ours: after - before,
        unit: 'MB',
        maximum: MAX_LEFT_MB,
      },
      {
        name: 'frames per second while scrolling',
        ours: scrollRate,
        floor: peerScrollRate,
        unit: '',
        minimum: FRAMES_PER_SECOND * 0.95,
      },
    ];
  } finally {
    await browser.close();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

export const pdf: Bench = { name: 'PDF viewer', peerName: 'pdf.js viewer', run: measure };
