/**
 * Visits every route at both widths and in both themes: no axe violations, nothing is cut off, the layout does not shift while the
 * page loads, and the window never scrolls, only the page in it does. A desktop follows links within the console; a phone loads each
 * page anew. What opens over pages is checked in accessibility.test.ts.
 */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type {
  GetBackupsResponse,
  QueryResultOfRowVm,
  Job,
  RequestBackupResponse,
} from '../../contract/generated/types.gen.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { callApi } from '../support/entries.ts';
import { isFirefox } from '../support/firefox.ts';
import { observeLayoutShifts, takeLayoutShifts } from '../support/layout-shift.ts';
import {
  checkPage,
  expectFrameStays,
  followPath,
  pageHeading,
  setWidth,
  VIEWPORT_WIDTHS,
} from '../support/page-checks.ts';
import { ada } from '../support/people.ts';
import { recordResult } from '../support/quality.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

/** Values for the parameters of the routes; a page for something that does not exist must fit too. */
const PARAMETERS: Readonly<Record<string, string>> = {
  $: 'nowhere',
  $activityId: '1',
  $destinationId: '1',
  $groupId: '1',
  $investigationId: '1',
  $reportId: '1',
  $siteId: '1',
  $templateId: '1',
  $topicId: '1',
  $type: 'Company',
  $userId: '2',
};

/** Values that exist only in the running installation. */
const CREATED_PARAMETERS: Readonly<Record<string, (page: Page) => Promise<string>>> = {
  $entryId: findEntry,
  $fileName: makeBackup,
  $jobId: startJob,
};
/** Areas whose parameters all have a value that exists. */
const COMPLETE_AREAS = ['backups', 'entries', 'jobs'];

/** States of pages that are part of the address, by area. */
const STATES: Readonly<Record<string, readonly string[]>> = {
  activity: ['/activity?range=30'],
  entries: [
    '/entries?new=true',
    '/entries/Company?q=nobody',
    '/entries/Company/schema?field=new',
    `/entries/Company?query=${encodeURIComponent('{"Name":"$notNoData","Nope":1}')}`,
  ],
  jobs: ['/jobs?owner=others', '/jobs?state=stopped'],
  publications: ['/publications/consumers', '/publications/destinations', '/publications/topics/new'],
  reports: ['/reports?new=true'],
  users: ['/users?q=nobody+at+all', '/users/2/activity?view=to', '/users/999999'],
};

/** Areas for people without a session; an address for one person has a token. */
const SIGNED_OUT: Readonly<Record<string, string>> = {
  'forgot-password': '',
  invitation: '#not-a-token',
  link: '#not-a-token',
  'sign-in': '',
};

/** Returns the id of an entry of the sample's companies. */
async function findEntry(page: Page): Promise<string> {
  const path = '/data/entrydata/rows/query/Company';
  const { rows } = await callApi<QueryResultOfRowVm>(page, 'POST', path, {});
  const id = rows[0]?.EntryId;
  if (id === undefined) throw new Error('The sample has no companies');
  return String(id);
}

/** Requests a backup, waits until it has ended and returns its file name. */
async function makeBackup(page: Page): Promise<string> {
  const { data } = await callApi<RequestBackupResponse>(page, 'POST', '/backups/request', {});
  const getStatus = async () => {
    const backups = await callApi<{ data: GetBackupsResponse[] }>(page, 'GET', '/backups');
    return backups.data.find(({ fileName }) => fileName === data.fileName)?.status;
  };
  await expect.poll(getStatus, { timeout: 20_000 }).toBe('Ready');
  return data.fileName;
}

/** Starts a job for one person and returns its id. */
async function startJob(page: Page): Promise<string> {
  const body = { userIds: [2], isActive: true };
  const path = '/api/rest/v1/management/jobs/userUpdates';
  return String(((await sendRequest(page.request, 'POST', path, body)) as Job).id);
}

/** Paths of all routes, by their first part; parameters that a test creates keep their name. */
function listPathsByArea(): Map<string, string[]> {
  const tree = readFileSync(new URL('../../src/routeTree.gen.ts', import.meta.url), 'utf8');
  const union = /fullPaths:(.*?)fileRoutesByTo/s.exec(tree)?.[1] ?? '';
  const routes = [...union.matchAll(/'(\/[^']*)'/g)].map(([, route = '']) => route.replace(/(.)\/$/, '$1'));
  if (routes.length === 0) throw new Error('src/routeTree.gen.ts lists no path');
  // Optional parameters are left out.
  const paths = new Set(
    routes.map((route) => route.replaceAll(/\/\{-\$\w+\}/g, '').replaceAll(/\$\w*/g, getParameter)),
  );
  return Map.groupBy(paths, (path) => path.split('/')[1] ?? '');
}

function getParameter(name: string): string {
  const value = name in CREATED_PARAMETERS ? name : PARAMETERS[name];
  if (value === undefined) throw new Error(`The parameter ${name} of the routes has no value here`);
  return value;
}

/** Most that the content of a page may move while it loads, as the sum of the browser's layout shifts. */
const MAX_LAYOUT_SHIFT = 0.02;

const [DESKTOP_WIDTH = 0, PHONE_WIDTH = 0] = VIEWPORT_WIDTHS;

/** Waits until the content of a page is there. */
async function waitForContent(page: Page): Promise<void> {
  await expect(pageHeading(page).or(page.getByRole('dialog')).first()).toBeVisible();
  await expect(page.locator('.skel').locator('visible=true')).toHaveCount(0);
}

/** Opens a second page of the same session as wide as a phone, with its layout shifts observed; Firefox does not report them. */
async function openPhone(page: Page): Promise<Page | undefined> {
  if (isFirefox(page)) return undefined;
  const phone = await page.context().newPage();
  await setWidth(phone, PHONE_WIDTH);
  await observeLayoutShifts(phone);
  return phone;
}

/** Expects that a page did not shift since its shifts were taken last, and returns their sum. */
async function expectNoShift(page: Page, name: string): Promise<number> {
  const { total, moved } = await takeLayoutShifts(page);
  expect.soft(total, `${name} shifts: ${moved.join('; ')}`).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT);
  return Math.round(total * 10_000) / 10_000;
}

interface Visit {
  /** Path of the page in the report. */
  name: string;
  address: string;
  open: (address: string) => Promise<unknown>;
}

/**
 * Opens a page as wide as a desktop and checks it at both widths and in both themes. The phone loads the page before that, and its
 * shifts are read after it, so that late ones count without waiting for them.
 */
async function checkEverywhere(
  page: Page,
  phone: Page | undefined,
  { name, address, open }: Visit,
): Promise<void> {
  await phone?.goto(address);
  if (phone) await waitForContent(phone);
  await setWidth(page, DESKTOP_WIDTH);
  await takeLayoutShifts(page);
  const startedAt = performance.now();
  let readyMs: number | undefined;
  let layoutShift: number | undefined;
  let isAccessible = false;
  try {
    await open(address);
    await waitForContent(page);
    readyMs = Math.round(performance.now() - startedAt);
    await checkWidths(page, async () => {
      const onPhone = phone ? await expectNoShift(phone, `${name} at ${PHONE_WIDTH} px`) : 0;
      layoutShift = Math.max(onPhone, await expectNoShift(page, name));
    });
    isAccessible = true;
  } finally {
    recordResult({
      kind: 'page',
      path: name,
      isAccessible,
      ...(layoutShift !== undefined && { layoutShift }),
      ...(readyMs !== undefined && { readyMs }),
    });
  }
}

/** Checks the current page at both widths; `onDesktop` is called before the width of a desktop is left. */
async function checkWidths(page: Page, onDesktop: () => Promise<void>): Promise<void> {
  for (const width of VIEWPORT_WIDTHS) {
    await setWidth(page, width);
    await checkPage(page);
    if (width === DESKTOP_WIDTH) await onDesktop();
    if ((await page.getByRole('dialog').count()) === 0 && (await page.getByRole('banner').count()) > 0)
      await expectFrameStays(page);
  }
}

const pathsByArea = listPathsByArea();
const areas = [...pathsByArea.keys()].filter((area) => !(area in SIGNED_OUT));
/** Areas of one page are visited in one test. */
const [small, large] = [areas.filter(isSmall), areas.filter((area) => !isSmall(area))];

function isSmall(area: string): boolean {
  return getPaths(area).length === 1;
}

function getPaths(area: string): string[] {
  return [...(pathsByArea.get(area) ?? []), ...(STATES[area] ?? [])];
}

test('pages without a session', async ({ page, expectFailure }) => {
  expectFailure(400);
  const paths = Object.entries(SIGNED_OUT).flatMap(([area, token]) =>
    getPaths(area).map((path) => path + token),
  );
  await observeLayoutShifts(page);
  const phone = await openPhone(page);
  for (const path of paths)
    await checkEverywhere(page, phone, { name: path, address: path, open: (address) => page.goto(address) });
});

for (const names of [small, ...large.map((area) => [area])])
  test(`pages of ${names.map((name) => `/${name}`).join(' ')}`, async ({ page, pageErrors }) => {
    const paths = names.flatMap(getPaths);
    test.setTimeout(60_000 + paths.length * 15_000);
    const isComplete = names.every((name) => COMPLETE_AREAS.includes(name));
    if (!isComplete) pageErrors.allow(/^(400|404): (GET|POST)|does not exist|ServiceError/);
    await observeLayoutShifts(page);
    await openAs(page, ada);
    const created = new Map<string, string>();
    for (const [name, create] of Object.entries(CREATED_PARAMETERS))
      if (paths.some((path) => path.includes(name))) created.set(name, await create(page));
    // Lists that the console has loaded do not contain what was created.
    if (created.size > 0) await page.reload();
    // Parts that still load would count as shifts of the first path.
    await waitForContent(page);
    const phone = await openPhone(page);
    for (const path of paths) {
      const address = path.replaceAll(/\$\w+/g, (name) => created.get(name) ?? name);
      await checkEverywhere(page, phone, { name: path, address, open: (to) => followPath(page, to) });
      if (isComplete && pathsByArea.get(path.split('/')[1] ?? '')?.includes(path))
        await expect(page.getByText(/(no longer exists|does not exist|not found)/i)).toHaveCount(0);
    }
  });
