/** Files with e-mails that the planner of imports reads in Chromium: time, tasks of the page, memory. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Browser, Page } from '@playwright/test';
import { z } from 'zod';
import { reportAnswers, waitForResponses } from '../../e2e/support/actions.ts';
import { openAs } from '../../e2e/support/calls.ts';
import { ada } from '../../e2e/support/data/people.ts';
import { type Service, startService } from '../../e2e/support/service.ts';
import type { Bench, Measure } from '../bench.ts';
import { newBrowserContext, openBrowser } from '../browser/chromium.ts';
import { measureLongTasks } from '../browser/paint.ts';

const EMAILS = 50_000;
const RUNS = 3;
const MAX_MBOX_MS = 6_000;
const MAX_JSON_MS = 2_000;
/** Browsers report only tasks longer than this. */
const MIN_LONG_TASK_MS = 50;
/** Mails of the large mailbox, each with a body of this many bytes. */
const LARGE = { emails: 20_000, bodyBytes: 100_000 };
/** Memory that the large mailbox of 2 GB may take in the page and its worker at most: a tenth of it. */
const MAX_LARGE_MB = 200;
const MB = 1_000_000;
const KIB_PER_MB = 1_000_000 / 1_024;

const getPerson = (at: number) => ({
  address: `person.${at % 400}@outside-${at % 40}.example`,
  name: `Person Number ${at % 400}`,
});

const getSentTime = (at: number): number => Date.now() - 86_400_000 + at * 1_000;

/** A header as servers deliver it: most of its lines are of no use for the import. */
function buildHeader(at: number): string {
  const date = new Date(getSentTime(at)).toUTCString().replace('GMT', '+0000');
  const { address, name } = getPerson(at);
  const copy = getPerson(at + 1);
  const [from, to] = [`${name} <${address}>`, `Ada Okafor <${ada.email}>`];
  const noise = 'b7Xk2mQ9'.repeat(8);
  return [
    `From ${address} ${new Date(getSentTime(at)).toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+).*$/, '$1 $3 $2 $5 $4')}`,
    ...[1, 2, 3, 4].flatMap((hop) => [
      `Received: from mx${hop}.outside.example (mx${hop}.outside.example [192.0.2.${hop}])`,
      `\tby mail${hop}.inside.example (Postfix) with ESMTPS id ${at.toString(36)}${hop}`,
      `\t(version=TLS1_3 cipher=TLS_AES_256_GCM_SHA384 bits=256/256); ${date}`,
    ]),
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=outside.example; s=s1;`,
    ...[1, 2, 3, 4, 5].map(() => `\t${noise}`),
    `ARC-Authentication-Results: i=1; mx.inside.example; dkim=pass; spf=pass; dmarc=pass`,
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((line) => `X-Exchange-Organization-${line}: ${noise}`),
    `From: ${at % 2 === 0 ? from : to}`,
    `To: ${at % 2 === 0 ? to : from},`,
    `\t"${copy.name}" <${copy.address}>`,
    `Cc: =?utf-8?Q?J=C3=B6rg_Brandt?= <joerg.brandt@outside.example>`,
    `Subject: =?utf-8?B?${noise.slice(0, 40)}?=`,
    `Date: ${date}`,
    `Message-ID: <${at}.${noise.slice(0, 24)}@outside.example>`,
    `MIME-Version: 1.0`,
    `Content-Type: multipart/alternative; boundary="${noise.slice(0, 20)}"`,
    '',
    '',
  ].join('\n');
}

function* writeMbox(emails: number, body: string): Generator<string> {
  for (let at = 0; at < emails; at += 1) yield `${buildHeader(at)}${body}\n`;
}

/** The e-mails as a flat list, as a script writes them. */
function* writeJson(): Generator<string> {
  for (let at = 0; at < EMAILS; at += 1) {
    const date = new Date(getSentTime(at)).toISOString();
    const email = {
      uniqueId: `AAMkAGI2TAAA${at}-PHJlbGF0aW9uc2hpcC1pbnRlbGxpZ2VuY2U`,
      sentDate: date,
      modifiedDate: date,
      sender: at % 2 === 0 ? getPerson(at) : { address: ada.email, name: 'Ada Okafor' },
      recipientsTo: [at % 2 === 0 ? { address: ada.email, name: 'Ada Okafor' } : getPerson(at)],
      recipientsCc: [getPerson(at + 1)],
    };
    yield `${at === 0 ? '[' : ','}${JSON.stringify(email)}`;
  }
  yield ']';
}

const BODY_LINE = 'The quick brown fox jumps over the lazy dog, and nobody has said so.\n';
const buildBody = (bytes: number): string => BODY_LINE.repeat(Math.ceil(bytes / BODY_LINE.length));

const openPlanner = async (browser: Browser, service: Service): Promise<Page> => {
  const page = await (await newBrowserContext(browser, service)).newPage();
  reportAnswers(page);
  await openAs(page, ada, '/imports');
  await page.getByLabel('choose files').waitFor();
  await waitForResponses(page);
  return page;
};

/** Chooses the file; returns the milliseconds until the page shows the number of its e-mails. */
async function readFileInPage(page: Page, file: string, emails: number): Promise<number> {
  await page.evaluate(() => {
    document.addEventListener('change', () => performance.mark('chosen'), { once: true, capture: true });
  });
  await page.getByLabel('choose files').setInputFiles(file);
  const shown = await page.waitForFunction(
    (count) => {
      const isShown = [...document.querySelectorAll('.ri-step')].some(
        ({ textContent }) => textContent === `${count}found`,
      );
      return isShown && performance.now() - (performance.getEntriesByName('chosen')[0]?.startTime ?? 0);
    },
    emails.toLocaleString('en-GB'),
    { polling: 'raf', timeout: 300_000 },
  );
  return Number(await shown.jsonValue());
}

interface PlannerMeasurement {
  milliseconds: number;
  longest: number;
  /** Processor time of the longest task of the page, which other programs on the machine do not add to. */
  longestProcessorMs: number;
}

const Trace = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      /** Processor time in microseconds. */
      tdur: z.number().optional(),
      args: z.object({ name: z.string().optional() }).optional(),
    }),
  ),
});

const getThread = ({ pid, tid }: { pid: number; tid: number }): string => `${pid} ${tid}`;

/** Processor time of the longest task on the main threads of pages during the work, in milliseconds. */
async function measureLongestTask(
  browser: Browser,
  page: Page,
  work: () => Promise<unknown>,
): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await work();
  const { traceEvents } = Trace.parse(JSON.parse((await browser.stopTracing()).toString()));
  const mainThreads = new Set(
    traceEvents.filter(({ args }) => args?.name === 'CrRendererMain').map(getThread),
  );
  const tasks = traceEvents.filter((event) => event.tdur !== undefined && mainThreads.has(getThread(event)));
  if (tasks.length === 0) throw new Error('The trace has no tasks of the page');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}

/** The fastest of several runs, each in a page of its own, with the longest task of that run. */
async function measureFile(browser: Browser, service: Service, file: string): Promise<PlannerMeasurement> {
  const runs: PlannerMeasurement[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const page = await openPlanner(browser, service);
    let milliseconds = 0;
    let longestProcessorMs = 0;
    const tasks = await measureLongTasks(page, async () => {
      longestProcessorMs = await measureLongestTask(browser, page, async () => {
        milliseconds = await readFileInPage(page, file, EMAILS);
      });
    });
    runs.push({ milliseconds, longest: Math.max(MIN_LONG_TASK_MS, ...tasks), longestProcessorMs });
    await page.context().close();
  }
  const [fastest] = runs.toSorted((one, other) => one.milliseconds - other.milliseconds);
  if (!fastest) throw new Error('Nothing was measured');
  return fastest;
}

/** Most memory that the processes of pages have held so far, in MB. Linux only. */
async function measurePeakMb(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const peaks = await Promise.all(
    processInfo
      .filter(({ type }) => type === 'renderer')
      .map(async ({ id }) => /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${id}/status`, 'utf8'))?.[1]),
  );
  return Math.max(...peaks.map(Number)) / KIB_PER_MB;
}

async function measure(folder: string, note: (text: string) => void): Promise<Measure[]> {
  const write = async (name: string, parts: Iterable<string>): Promise<string> => {
    const file = join(folder, name);
    await pipeline(Readable.from(parts), createWriteStream(file));
    return file;
  };
  const files = {
    mbox: await write('mails.mbox', writeMbox(EMAILS, buildBody(1_000))),
    json: await write('mails.json', writeJson()),
    large: await write('large.mbox', writeMbox(LARGE.emails, buildBody(LARGE.bodyBytes))),
  };
  const service = await startService({ sample: true, administrator: ada });
  const browser = await openBrowser();
  try {
    const mbox = await measureFile(browser, service, files.mbox);
    const json = await measureFile(browser, service, files.json);
    await browser.close();
    const fresh = await openBrowser();
    try {
      const page = await openPlanner(fresh, service);
      const before = await measurePeakMb(fresh);
      let largeMs = 0;
      const tasks = await measureLongTasks(page, async () => {
        largeMs = await readFileInPage(page, files.large, LARGE.emails);
      });
      const taken = (await measurePeakMb(fresh)) - before;
      const [mboxMb, jsonMb, largeMb] = await Promise.all(
        Object.values(files).map(async (file) => (await stat(file)).size / MB),
      );
      note(`The files have ${mboxMb?.toFixed(0)}, ${jsonMb?.toFixed(0)} and ${largeMb?.toFixed(0)} MB.`);
      const longest = Math.max(mbox.longest, json.longest, ...tasks);
      return [
        {
          name: `mbox, ${EMAILS} mails, file chosen to plan shown`,
          ours: mbox.milliseconds,
          unit: 'ms',
          maximum: MAX_MBOX_MS,
        },
        {
          name: `JSON, ${EMAILS} mails, file chosen to plan shown`,
          ours: json.milliseconds,
          unit: 'ms',
          maximum: MAX_JSON_MS,
        },
        { name: 'longest task of the page (50: none)', ours: longest, unit: 'ms', maximum: MIN_LONG_TASK_MS },
        {
          name: 'longest task of the page, processor time',
          ours: Math.max(mbox.longestProcessorMs, json.longestProcessorMs),
          unit: 'ms',
          maximum: MIN_LONG_TASK_MS,
        },
        { name: 'mbox of 2 GB, file chosen to plan shown', ours: largeMs, unit: 'ms' },
        {
          name: 'mbox of 2 GB, most memory of page and worker',
          ours: taken,
          unit: 'MB',
          maximum: MAX_LARGE_MB,
        },
      ];
    } finally {
      await fresh.close();
    }
  } finally {
    await browser.close();
    await service.remove();
  }
}

export const planner: Bench = {
  name: 'planner of imports in Chromium',
  async run({ note }) {
    const folder = await mkdtemp(join(tmpdir(), 'steward-planner-'));
    try {
      return await measure(folder, note);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
