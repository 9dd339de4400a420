/** Visits every route at both widths: the window never scrolls, only the page in it does. */
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
import {
  expectFits,
  expectFrameStays,
  pageHeading,
  setWidth,
  VIEWPORT_WIDTHS,
} from '../support/page-checks.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

/** Values for the parameters of the routes; a page for something that does not exist must fit too. */
const PARAMETERS: Readonly<Record<string, string>> = {
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
    routes.map((route) => route.replaceAll(/\/\{-\$\w+\}/g, '').replaceAll(/\$\w+/g, getParameter)),
  );
  return Map.groupBy(paths, (path) => path.split('/')[1] ?? '');
}

function getParameter(name: string): string {
  const value = name in CREATED_PARAMETERS ? name : PARAMETERS[name];
  if (value === undefined) throw new Error(`The parameter ${name} of the routes has no value here`);
  return value;
}

for (const [area, paths] of listPathsByArea()) {
  test(`/${area}`, async ({ page, pageErrors }) => {
    test.setTimeout(30_000 + paths.length * 15_000);
    if (!COMPLETE_AREAS.includes(area))
      pageErrors.allow(/^(400|404): (GET|POST)|does not exist|ServiceError/);
    await openAs(page, ada);
    const created = new Map<string, string>();
    for (const [name, create] of Object.entries(CREATED_PARAMETERS))
      if (paths.some((path) => path.includes(name))) created.set(name, await create(page));
    for (const path of paths) {
      await page.goto(path.replaceAll(/\$\w+/g, (name) => created.get(name) ?? name));
      await expect(pageHeading(page).or(page.getByRole('dialog')).first()).toBeVisible();
      if (COMPLETE_AREAS.includes(area))
        await expect(page.getByText(/(no longer exists|does not exist|not found)/i)).toHaveCount(0);
      await expect(page.locator('.skel').locator('visible=true')).toHaveCount(0);
      for (const width of VIEWPORT_WIDTHS) {
        await setWidth(page, width);
        await expectFits(page);
        if ((await page.getByRole('dialog').count()) === 0 && (await page.getByRole('banner').count()) > 0)
          await expectFrameStays(page);
      }
    }
  });
}
