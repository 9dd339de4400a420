/** Reading of e-mails in the import planner: time, the longest pause of the page, and the memory for a file of 2 GB. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import { openAs } from '../e2e/support/calls.ts';
import { ada } from '../e2e/support/people.ts';
import { startService } from '../e2e/support/service.ts';
import { findChromium } from '../scripts/chromium.ts';
import { Planner } from '../src/areas/relationship-intelligence/planner/planner.ts';
import type { Bench } from './bench.ts';

const EMAILS = 50_000;
const MAX_MBOX_MS = 6_000;
const MAX_JSON_MS = 2_000;
const MAX_GAP_MS = 50;
const HUGE_BYTES = 2_000_000_000;
/** Attachment of a mail of the huge mailbox; its header is read, its content is passed over. */
const CONTENT_BYTES = 1_000_000;
/** What reading the huge mailbox may take: the parts of it that wait, not a share of it. */
const MAX_MEMORY_MB = 200;
const MB = 1_000_000;

const date = (at: number) => new Date(Date.now() - 86_400_000 + at * 1_000);

const header = (at: number): string =>
  [
    `From person.${at % 400}@outside.test ${date(at).toUTCString()}`,
    `From: "Person Number ${at % 400}" <person.${at % 400}@outside-${at % 40}.test>`,
    `To: ${ada.email}, =?utf-8?B?Wm/DqyBCcmFuZHQ=?= <zoe.${at % 90}@outside.test>`,
    'Cc: Team: Kim <kim@outside.test>, Jo <jo@outside.test>;',
    `Date: ${date(at).toUTCString()}`,
    `Message-ID: <${at}.planner@mail.example>`,
    'Received: from mx.outside.test by mx.example.com with ESMTPS',
    'Subject: Quarterly figures',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'Text',
    '',
    '',
  ].join('\n');

const email = (_: unknown, at: number) => ({
  uniqueId: `${at}.planner@mail.example`,
  sentDate: date(at).toISOString(),
  modifiedDate: date(at).toISOString(),
  sender: { address: `person.${at % 400}@outside-${at % 40}.test`, name: `Person Number ${at % 400}` },
  recipientsTo: [{ address: ada.email, name: 'Ada' }],
});

declare global {
  interface Window {
    /** Longest time between two turns of the page, in milliseconds. */
    longestGap?: number;
  }
}

/** Milliseconds from the choice of a file to its counts, and the longest pause of the page meanwhile. */
async function readInPage(browser: Browser, url: string, file: string): Promise<{ ms: number; gap: number }> {
  const page = await browser.newPage({ baseURL: url });
  await openAs(page, ada, '/imports');
  const input = page.getByLabel('choose files');
  await input.waitFor();
  await page.waitForLoadState('networkidle');
  await page.evaluate(() => {
    document.addEventListener('change', () => performance.mark('chosen'), { once: true, capture: true });
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      window.longestGap = Math.max(window.longestGap ?? 0, now - last);
      last = now;
    }, 4);
  });
  await page.evaluate(() => {
    window.longestGap = 0;
  });
  await input.setInputFiles(file);
  const ms = await page
    .waitForFunction(
      (count) => {
        const isShown = document.querySelector('.ri-steps')?.textContent.includes(count);
        return isShown && performance.now() - (performance.getEntriesByName('chosen')[0]?.startTime ?? 0);
      },
      EMAILS.toLocaleString('en-US'),
      { polling: 50, timeout: 120_000 },
    )
    .then((handle) => handle.jsonValue());
  const gap = await page.evaluate(() => window.longestGap ?? 0);
  await page.close();
  return { ms: Number(ms), gap };
}

/** A mailbox that is generated while it is read. */
function createHugeFile(): File {
  const content = Buffer.alloc(CONTENT_BYTES, `${'A'.repeat(75)}\n`);
  const createStream = () => {
    let at = 0;
    let sent = 0;
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent >= HUGE_BYTES) return controller.close();
        const mail = Buffer.concat([Buffer.from(header(at)), content, Buffer.from('\n\n')]);
        at += 1;
        sent += mail.length;
        for (let from = 0; from < mail.length; from += 65_536)
          controller.enqueue(new Uint8Array(mail.subarray(from, from + 65_536)));
      },
    });
  };
  const file = new File([header(0)], 'huge.mbox');
  Object.defineProperties(file, { size: { value: HUGE_BYTES }, stream: { value: createStream } });
  return file;
}

/** Reads the huge mailbox; returns the most memory that it took, in MB. */
async function readHugeFile(): Promise<{ megabytes: number; seconds: number; rows: number }> {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  const startedAt = performance.now();
  let rows = 0;
  try {
    await new Planner().addFile(
      createHugeFile(),
      { from: 0, to: Date.now() },
      (_share, count) => (rows = count),
    );
  } finally {
    clearInterval(timer);
  }
  return { megabytes: (most - before) / MB, seconds: (performance.now() - startedAt) / 1_000, rows };
}

export const planner: Bench = {
  name: `Import planner, ${EMAILS} e-mails read in the page`,
  async run({ note }) {
    const folder = await mkdtemp(join(tmpdir(), 'steward-planner-'));
    const [mbox, json] = [join(folder, 'mails.mbox'), join(folder, 'mails.json')];
    await writeFile(mbox, Array.from({ length: EMAILS }, (_, at) => header(at)).join(''));
    await writeFile(json, JSON.stringify(Array.from({ length: EMAILS }, email)));
    const service = await startService({ sample: true, administrator: ada });
    const path = findChromium();
    const browser = await chromium.launch({
      ...(path !== undefined && { executablePath: path }),
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
    try {
      const read = [
        await readInPage(browser, service.url, mbox),
        await readInPage(browser, service.url, json),
      ] as const;
      const huge = await readHugeFile();
      note(`A mailbox of 2 GB with ${huge.rows} mails was read in ${huge.seconds.toFixed(1)} s.`);
      const unit = 'ms';
      return [
        { name: 'mbox: file chosen to plan shown', ours: read[0].ms, unit, maximum: MAX_MBOX_MS },
        { name: 'mbox: longest pause of the page', ours: read[0].gap, unit, maximum: MAX_GAP_MS },
        { name: 'JSON: file chosen to plan shown', ours: read[1].ms, unit, maximum: MAX_JSON_MS },
        { name: 'JSON: longest pause of the page', ours: read[1].gap, unit, maximum: MAX_GAP_MS },
        { name: 'mbox of 2 GB: memory', ours: huge.megabytes, unit: 'MB', maximum: MAX_MEMORY_MB },
      ];
    } finally {
      await browser.close();
      await service.remove();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
