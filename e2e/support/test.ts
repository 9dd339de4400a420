/** `test` for all browser tests: with a running service, and failing on unexpected page errors. */
import { type BrowserContext, expect, type Page, test as base } from '@playwright/test';
import { adaptPages } from './browsers/firefox.ts';
import { isMainJourney } from './browsers/journeys.ts';
import { type ApiCalls, createCalls } from './calls.ts';
import { type ExpectedError, PageErrors } from './checks/page-errors.ts';
import { recordResult } from './checks/quality.ts';
import { ada } from './data/people.ts';
import { Installations } from './installations.ts';
import type { Installation, Service } from './service.ts';

/** Options that a test file can set with `test.use`. */
export interface InstallationOptions {
  /** Default: no sample data, Ada as the first administrator. */
  installation: Installation;
}

interface TestFixtures extends InstallationOptions {
  /** Service of this test file only. */
  service: Service;
  pageErrors: PageErrors;
  /** Declares errors this test provokes: an HTTP status, or a part of the message. */
  expectFailure: (...expected: readonly ExpectedError[]) => void;
  /** Page in a second browser context, with its own session. */
  elsewhere: Page;
  /** Calls of the service as Ada, to prepare and verify tests. */
  calls: ApiCalls;
  /** Reports the result of a main journey for the quality page. */
  journeyResult: void;
}

/** Lines of the log of a service from warnings on. */
const listWarnings = (log: string): string[] =>
  log.split('\n').filter((line) => /"level":"(warn|error|fatal)"/.test(line));

/** Timeout of the fixtures that start a service. */
const SERVICE_TIMEOUT_MS = 180_000;

export const test = base.extend<TestFixtures, { installations: Installations }>({
  installations: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures it needs from this pattern
    async ({}, provide) => {
      const installations = new Installations();
      await provide(installations);
      await installations.remove();
    },
    { scope: 'worker', timeout: SERVICE_TIMEOUT_MS },
  ],
  installation: [{ sample: false, administrator: ada }, { option: true }],
  journeyResult: [
    // oxlint-disable-next-line no-empty-pattern -- see above
    async ({}, provide, { title }) => {
      await provide();
      const { status } = test.info();
      if (isMainJourney(title)) recordResult({ kind: 'journey', name: title, passed: status === 'passed' });
    },
    { auto: true },
  ],
  service: [
    async ({ installations, installation }, provide, { file }) =>
      provide(await installations.getService(file, installation)),
    { timeout: SERVICE_TIMEOUT_MS },
  ],
  baseURL: async ({ service }, provide) => provide(service.url),
  pageErrors: async ({ service }, provide) => {
    const pageErrors = new PageErrors();
    const begin = service.output().length;
    await provide(pageErrors);
    const unexpected = pageErrors.getUnexpected();
    const warnings = unexpected.length > 0 ? listWarnings(service.output().slice(begin)) : [];
    expect(unexpected, ['no unexpected page errors', ...warnings].join('\n')).toEqual([]);
  },
  expectFailure: async ({ pageErrors }, provide) => provide((...expected) => pageErrors.expect(...expected)),
  context: async ({ context, browserName, pageErrors }, provide) => {
    await pageErrors.watch(context);
    if (browserName === 'firefox') await adaptPages(context);
    await provide(context);
  },
  elsewhere: async ({ browser, browserName, page, pageErrors }, provide) => {
    const context: BrowserContext = await browser.newContext();
    await pageErrors.watch(context);
    if (browserName === 'firefox') await adaptPages(context);
    const elsewhere = await context.newPage();
    // In Firefox only one window has the focus, and the newest one takes it.
    if (browserName === 'firefox') await page.bringToFront();
    await provide(elsewhere);
    await context.close();
  },
  calls: async ({ request }, provide) => provide(await createCalls(request, ada)),
});

export { expect } from '@playwright/test';
