import type { EntryTypeVm, FieldVm } from '../../contract/generated/types.gen.ts';
import { choose, expectRow, expectToast, pick } from '../support/actions.ts';
import { callsOf, enter, send } from '../support/calls.ts';
import { mailedLink } from '../support/mail.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const HARBOR = 2;

test('two people: invited, accepted, acting as a proxy, seen as the one for the other, ended', async ({
  page,
  elsewhere,
  request,
  service,
  faults,
}) => {
  // What asks in the moment in which acting begins or ends is sent to look again.
  faults.allow(/^409: GET .*\/management\//);
  const guest = await (
    await callsOf(request, ada, HARBOR)
  ).makeUser({ firstName: 'Gwen', lastName: 'Guest' });
  const calls = await callsOf(request, ada);
  const groups = [await calls.makeGroup('Keepers of companies', ['Read Data', 'Write Data'])];
  const principal = await calls.makeUser({ firstName: 'Petra', lastName: 'Principal', groups });
  const names = { apiName: 'Vessel', singularName: 'Vessel', pluralName: 'Vessels' };
  const schema = '/api/rest/v4/schema/entrytypes';
  const company = (await send(request, 'POST', schema, names)) as EntryTypeVm;
  const [field] = (await send(request, 'GET', `${schema}/${company.id}/fields`)) as FieldVm[];

  // One of them invites the other, from the other site.
  await enter(page, ada, `/invitations/new?email=${encodeURIComponent(guest.email)}`);
  await page.getByRole('button', { name: 'Invite 1 person' }).click();
  await expectRow(page.getByRole('grid', { name: 'Results' }), { 'E-mail': guest.email, Result: 'Done' });
  await callsOf(elsewhere.request, guest, HARBOR);
  await elsewhere.goto(await mailedLink(service, guest.email));
  await elsewhere.getByRole('button', { name: 'Accept the invitation' }).click();
  const arrive = elsewhere.getByRole('button', { name: 'Go to Northlight Capital' });
  await expect(arrive).toBeVisible();

  // What the page knew of the site before is from before they came.
  const area = (name: string) =>
    page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${name}`) });
  await area('Users').click();
  await page.getByRole('searchbox').fill('gwen');
  await page.getByRole('button', { name: 'Read everything again' }).click();
  await expect(page.getByRole('link', { name: guest.name })).toBeVisible();
  await area('Proxies').click();
  await page.getByRole('link', { name: 'Assign proxy' }).last().click();
  const panel = page.getByRole('dialog', { name: 'Assign proxy' });
  await pick(page, 'Proxy', guest.name);
  await pick(page, 'May act for', principal.name);
  await panel.getByRole('button', { name: 'Assign 1 user' }).click();
  await expectToast(page, `${guest.name} may act for ${principal.name}`);

  // The other works in that name, and changes something that only the principal may change.
  await arrive.click();
  await choose(elsewhere, /sign out of/, 'Work as…');
  const dialog = elsewhere.getByRole('dialog', { name: `Work as ${principal.name}` });
  await dialog.getByLabel('Reason').fill('Ticket 4711');
  await dialog.getByRole('button', { name: `Work as ${principal.name}` }).click();
  const banner = elsewhere.getByRole('region', { name: 'Working as somebody else' });
  await expect(banner).toContainText(`${guest.name} is working as ${principal.name}`);
  const storeRequests = [{ entryId: -1, fieldId: field?.id, value: 'Lighthouse Ltd' }];
  await send(elsewhere.request, 'PUT', `/api/rest/v4/data/entrydata/${company.id}`, { storeRequests });

  // The first sees both names, and what was done, while it goes on and when it has ended.
  await area('Activity').click();
  const rows = page.getByRole('grid', { name: 'Activity' }).getByRole('row');
  await expect(rows.filter({ hasText: `for ${principal.name}` })).toContainText(/Gwen Guest.*User Switch/s);
  await area('Proxies').click();
  await page.getByRole('link', { name: 'Reports', exact: true }).last().click();
  await page.getByRole('link', { name: `${guest.name} for ${principal.name}` }).click();
  const facts = page.getByRole('region', { name: 'Who, for whom, why' });
  await expect(facts).toContainText(/Ticket 4711.*Ended\s*Going on/s);
  await expect(page.getByRole('row', { name: /Change: Change entries .* Done/ })).toBeVisible();
  await banner.getByRole('button', { name: `Stop working as ${principal.name}` }).click();
  await expect(banner).toHaveCount(0);
  await page.getByRole('button', { name: 'Read again' }).click();
  await expect(facts).toContainText('after under a minute');
});
