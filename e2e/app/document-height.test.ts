/** Visits every route at both widths: the window never scrolls, only the page in it does. */
import { readFileSync } from 'node:fs';
import { openAs } from '../support/calls.ts';
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
  $area: 'agent',
  $fileName: 'missing.zip',
  $groupId: '1',
  $investigationId: '1',
  $reportId: '1',
  $siteId: '1',
  $type: 'Company',
  $userId: '2',
};

/** Paths of all routes, by their first part. */
function listPathsByArea(): Map<string, string[]> {
  const tree = readFileSync(new URL('../../src/routeTree.gen.ts', import.meta.url), 'utf8');
  const union = /fullPaths:([^}]*?)fileRoutesByTo/s.exec(tree)?.[1] ?? '';
  const routes = [...union.matchAll(/'(\/[^']*)'/g)].map(([, route = '']) => route.replace(/(.)\/$/, '$1'));
  const paths = new Set(
    routes.map((route) =>
      route.replaceAll(/\$\w+/g, (name) => PARAMETERS[name] ?? `without a value for ${name}`),
    ),
  );
  return Map.groupBy(paths, (path) => path.split('/')[1] ?? '');
}

for (const [area, paths] of listPathsByArea()) {
  test(`/${area}`, async ({ page, pageErrors }) => {
    test.setTimeout(30_000 + paths.length * 15_000);
    pageErrors.allow(/^(400|404): (GET|POST)|does not exist|ServiceError/);
    await openAs(page, ada);
    for (const path of paths) {
      await page.goto(path);
      await expect(pageHeading(page).or(page.getByRole('dialog')).first()).toBeVisible();
      await page.waitForLoadState('networkidle');
      for (const width of VIEWPORT_WIDTHS) {
        await setWidth(page, width);
        await expectFits(page);
        if ((await page.getByRole('dialog').count()) === 0 && (await page.getByRole('banner').count()) > 0)
          await expectFrameStays(page);
      }
    }
  });
}
