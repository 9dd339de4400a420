/** Every operation of the contract, at both doors, for somebody who can do everything: what a proxy may do of it. */
import { beforeAll, expect, test } from 'vitest';
import type { Capability } from '../../../contract/generated/types.gen.ts';
import { capabilitiesWhenActing } from '../../../contract/rules/proxies.ts';
import type { Operation } from '../../kernel/http/contract.ts';
import { send } from '../../testing/calls.ts';
import {
  as,
  contract,
  everything,
  makePerson,
  makeSite,
  onEachApp,
  type Person,
} from '../../testing/site.ts';

const NOBODY = 2_147_483_647;
const passable: ReadonlySet<Capability> = capabilitiesWhenActing(everything);

/** Of the own session: these are answered; each decided by what it is for. */
const OWN = new Map([
  ['getSession', 200],
  ['beginActing', 400],
]);
/** What hands data over as a file stays with the person themselves. */
const DOWNLOADS = [
  'recordExport',
  'getEntryFile',
  'downloadReport',
  'downloadBackup',
  'createBackupDownload',
];

const isOpen = ({ id, capabilities }: Operation) =>
  OWN.has(id) ||
  (!DOWNLOADS.includes(id) &&
    capabilities.some(
      // What asks for nothing else is about one's own account.
      (capability) => capability !== 'Access Web Service' && passable.has(capability as Capability),
    ));

onEachApp((house) => {
  let proxy: Person;
  let principal: Person;
  beforeAll(async () => {
    const { db, app } = house();
    const siteId = await makeSite(db);
    const admin = as(app, await makePerson(db, siteId));
    proxy = await makePerson(db, siteId);
    principal = await makePerson(db, siteId);
    await admin.post('user/proxy', { proxyUserId: proxy.userId, users: [principal.userId] });
  });

  /** Those that answer neither 401 nor 403, of operations called with nothing that exists. */
  async function answered(operations: readonly Operation[], door: string, headers: Record<string, string>) {
    const open = new Map<string, number>();
    for (const { id, method, url } of operations) {
      const path = door + url.replaceAll(/:\w+/g, String(NOBODY));
      // oxlint-disable-next-line no-await-in-loop -- one after the other, as somebody would
      const { status } = await send(house().app, { method, url: path, headers });
      if (![401, 403].includes(status)) open.set(id, status);
    }
    return open;
  }

  test('programs: exactly what can be passed on, and no file', async () => {
    const operations = contract.operations.filter(
      ({ consoleOnly, access }) => !consoleOnly && access !== 'public',
    );
    const headers = { authorization: `Bearer ${proxy.token}`, 'as-user': String(principal.userId) };
    const open = await answered(operations, '', headers);
    expect([...open.keys()]).toEqual(operations.filter(isOpen).map(({ id }) => id));
    expect(open.size).toBeGreaterThan(30);
  });

  test('the console: the same, and of the own session what belongs to acting', async () => {
    const calls = as(house().app, proxy, 'console');
    await calls.put('/api/session/acting', { userId: principal.userId, reason: 'Because' });
    // These two end what is tested; console.test.ts has them.
    const operations = contract.operations.filter(
      ({ id, access }) => access !== 'public' && id !== 'signOut' && id !== 'endActing',
    );
    const headers = { cookie: `steward=${proxy.cookie}`, 'x-steward-console': '1' };
    const open = await answered(operations, '/console', headers);
    expect([...open.keys()]).toEqual(operations.filter(isOpen).map(({ id }) => id));
    for (const [id, status] of OWN) expect([id, open.get(id)]).toEqual([id, status]);
  });
});
