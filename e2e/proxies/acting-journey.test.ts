import type { EntryTypeVm, FieldVm } from '../../contract/generated/types.gen.ts';
import { chooseMenuItem, expectToast, selectPerson } from '../support/actions.ts';
import { createCalls, openAs, sendRequest } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { waitForMailedLink } from '../support/mail.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const HARBOR = 2;

test('invites a user from another site who then acts as a proxy, which is visible in activity and report', async ({
  page,
  elsewhere,
  request,
  service,
  pageErrors,
}) => {
  // A request sent while acting starts or stops is answered with 409 and repeated.
  pageErrors.allow(/^409: GET .*\/management\//);
  const guest = await (
    await createCalls(request, ada, HARBOR)
  ).createUser({ firstName: 'Gwen', lastName: 'Guest' });
  const calls = await createCalls(request, ada);
  const groups = [await calls.createGroup('Vessel editors', ['Read Data', 'Write Data'])];
  const principal = await calls.createUser({ firstName: 'Petra', lastName: 'Principal', groups });
  const names = { apiName: 'Vessel', singularName: 'Vessel', pluralName: 'Vessels' };
  const schema = '/api/rest/v4/schema/entrytypes';
  const vesselType = (await sendRequest(request, 'POST', schema, names)) as EntryTypeVm;
  const [field] = (await sendRequest(request, 'GET', `${schema}/${vesselType.id}/fields`)) as FieldVm[];

  // The administrator invites the user of the other site.
  await openAs(page, ada, `/invitations/new?email=${encodeURIComponent(guest.email)}`);
  await page.getByRole('button', { name: 'Invite 1 person' }).click();
  await expect(page).toHaveURL(/\/jobs\/\d+$/);
  await createCalls(elsewhere.request, guest, HARBOR);
  await elsewhere.goto(await waitForMailedLink(service, guest.email));
  await elsewhere.getByRole('button', { name: 'Accept the invitation' }).click();
  const goToSite = elsewhere.getByRole('button', { name: 'Go to Northlight Capital' });
  await expect(goToSite).toBeVisible();

  // The directory of the page is older than the new member.
  const navigationLink = (name: string) =>
    page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${name}`) });
  await navigationLink('Users').click();
  await page.getByRole('searchbox', { name: 'Search users' }).fill('gwen');
  await page.getByRole('button', { name: 'Reload everything' }).click();
  await expect(page.getByRole('link', { name: guest.name })).toBeVisible();
  await navigationLink('Proxies').click();
  await page.getByRole('link', { name: 'Assign proxy' }).last().click();
  const panel = page.getByRole('dialog', { name: 'Assign proxy' });
  await selectPerson(page, 'Proxy', guest.name);
  await selectPerson(page, 'May act for', principal.name);
  await panel.getByRole('button', { name: 'Assign 1 user' }).click();
  await expectToast(page, `${guest.name} may act for ${principal.name}`);

  // The proxy acts for the principal and changes something that only the principal may change.
  await goToSite.click();
  await chooseMenuItem(elsewhere, /sign out of/, 'Work as…');
  const dialog = elsewhere.getByRole('dialog', { name: `Work as ${principal.name}` });
  await dialog.getByLabel('Reason').fill('Ticket 4711');
  await dialog.getByRole('button', { name: `Work as ${principal.name}` }).click();
  const banner = elsewhere.getByRole('region', { name: 'Working as someone else' });
  await expect(banner).toContainText(`${guest.name} is working as ${principal.name}`);
  const store = `/api/rest/v4/data/entrydata/${vesselType.id}`;
  const name = { fieldId: field?.id, value: 'Lighthouse Ltd' };
  await sendRequest(elsewhere.request, 'PUT', store, { storeRequests: [{ entryId: -1, ...name }] });

  // The administrator sees both names and the changes, during and after the session.
  await navigationLink('Activity').click();
  const rows = page.getByRole('grid', { name: 'Activity' }).getByRole('row');
  await expect(rows.filter({ hasText: `for ${principal.name}` })).toContainText(/Gwen Guest.*User Switch/s);
  await navigationLink('Proxies').click();
  await page.getByRole('link', { name: 'Reports', exact: true }).last().click();
  await page.getByRole('link', { name: `${guest.name} for ${principal.name}` }).click();
  const facts = page.getByRole('region', { name: 'Details' });
  await expect(facts).toContainText(/Ticket 4711.*Ended\s*In progress/s);
  await expect(page.getByRole('row', { name: /Change: Change entries .* Done/ })).toBeVisible();
  await banner.getByRole('button', { name: `Stop working as ${principal.name}` }).click();
  await expect(banner).toHaveCount(0);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(facts).toContainText('after under a minute');

  // The history of the entry has the change of the administrator too, and is reduced to those of proxies.
  const found = (await sendRequest(request, 'GET', '/api/rest/v4/data/entrydata/rows/Vessel')) as {
    rows: { EntryId: number }[];
  };
  const entryId = found.rows[0]?.EntryId ?? 0;
  await sendRequest(request, 'PUT', store, { storeRequests: [{ entryId, ...name, value: 'Beacon Ltd' }] });
  await page.goto(`/entries/Vessel/${entryId}`);
  const history = page.getByRole('region', { name: 'History' });
  await expect(history.getByRole('listitem')).toHaveCount(2);
  await history.getByRole('button', { name: 'Only through a proxy' }).click();
  await expect(history.getByRole('listitem')).toHaveText(/^Gwen Guest for Petra Principal created it/);
  await page.reload();
  await expect(history.getByRole('listitem')).toHaveCount(1);
});
