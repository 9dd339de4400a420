import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext } from '@playwright/test';
import { build } from 'vite';

const HTML =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Peer</title><div id="root"></div><script type="module" src="/peer/page.js"></script></html>';

/** A peer's page, built by the same tool as ours in a folder of its own; `page` is the address of its script. */
export async function buildPeer(page: string): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'steward-peer-'));
  const input = fileURLToPath(page);
  try {
    await build({
      configFile: false,
      root: dirname(input),
      logLevel: 'error',
      build: {
        outDir,
        target: 'es2024',
        rolldownOptions: { input, output: { entryFileNames: 'page.js' } },
      },
    });
    return await readFile(join(outDir, 'page.js'), 'utf8');
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

/** Serves the peer page under the address of the service, whose cookie it then has. */
export async function servePeer(context: BrowserContext, script: string): Promise<void> {
  await context.route(/\/peer(\?.*)?$/, (route) => route.fulfill({ contentType: 'text/html', body: HTML }));
  await context.route('**/peer/page.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  );
}
