/** `test` for every browser test: a running service, and pages on which nothing may go wrong unseen. */
import { type BrowserContext, expect, type Page, test as base } from '@playwright/test';
import { type Calls, callsOf } from './calls.ts';
import { type Expected, Faults } from './faults.ts';
import { Installations } from './installations.ts';
import { ada } from './people.ts';
import type { Installation, Service } from './service.ts';

/** What a file of tests may choose with `test.use`. */
export interface InstallationOptions {
  /** Default: no sample, and Ada as the first administrator. */
  installation: Installation;
}

interface TestFixtures extends InstallationOptions {
  /** The service of this file alone: what its tests leave meets no other file. */
  service: Service;
  faults: Faults;
  /** Names the failures this test provokes: an HTTP status, or a part of the message. */
  expectFailure: (...expected: readonly Expected[]) => void;
  /** A page of a second browser, with a session of its own. */
  elsewhere: Page;
  /** The interface as Ada calls it, to arrange what a test begins with and to see what it left. */
  calls: Calls;
}

/** Starting a service has a limit of its own, which a starved machine may need. */
const SLOW_MS = 180_000;

export const test = base.extend<TestFixtures, { installations: Installations }>({
  installations: [
    // Playwright reads a fixture's needs from this pattern, so it stands even when empty.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, provide) => {
      const installations = new Installations();
      await provide(installations);
      await installations.remove();
    },
    { scope: 'worker', timeout: SLOW_MS },
  ],
  installation: [{ sample: false, administrator: ada }, { option: true }],
  service: [
    async ({ installations, installation }, provide, { file }) =>
      provide(await installations.of(file, installation)),
    { timeout: SLOW_MS },
  ],
  baseURL: async ({ service }, provide) => provide(service.url),
  // oxlint-disable-next-line no-empty-pattern
  faults: async ({}, provide) => {
    const faults = new Faults();
    await provide(faults);
    expect(faults.unexpected(), 'nothing goes wrong unseen').toEqual([]);
  },
  expectFailure: async ({ faults }, provide) => provide((...expected) => faults.expect(...expected)),
  context: async ({ context, faults }, provide) => {
    await faults.watch(context);
    await provide(context);
  },
  elsewhere: async ({ browser, faults }, provide) => {
    const context: BrowserContext = await browser.newContext();
    await faults.watch(context);
    await provide(await context.newPage());
    await context.close();
  },
  calls: async ({ request }, provide) => provide(await callsOf(request, ada)),
});

export { expect } from '@playwright/test';
