import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext } from '@playwright/test';
import { build } from 'vite';

const HTML =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Peer</title><div id="root"></div><script type="module" src="/peer/page.js"></script></html>';

/** Builds the script of a peer page with Vite, as the console is built. `page` is the file URL of its source. */
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

/** Serves the peer page from the origin of the service, so that its requests carry the session cookie. */
export async function servePeer(context: BrowserContext, script: string): Promise<void> {
  await context.route(/\/peer(\?.*)?$/, (route) => route.fulfill({ contentType: 'text/html', body: HTML }));
  await context.route('**/peer/page.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  );
}
