/** Every operation of the contract on both API surfaces, called by a proxy with all capabilities. */
import { beforeAll, expect, test } from 'vitest';
import type { Capability } from '../../../contract/generated/types.gen.ts';
import { getActingCapabilities } from '../../../contract/rules/people/proxies.ts';
import type { Operation } from '../../kernel/http/contract.ts';
import { send } from '../../testing/calls.ts';
import {
  as,
  consoleOperations,
  contract,
  allCapabilities,
  makePerson,
  makeSite,
  onEachApp,
  type Person,
} from '../../testing/site.ts';

const UNKNOWN_ID = 2_147_483_647;
const delegable: ReadonlySet<Capability> = getActingCapabilities(allCapabilities);

/** Operations of the own session that are allowed while acting, with their status here. */
const OWN_SESSION = new Map([
  ['getSession', 200],
  ['getSiteBrand', 200],
  ['beginActing', 400],
]);
/** Operations on the jobs begun while acting. */
const JOBS = [
  'listJobs',
  'getJob',
  'listJobItems',
  'listJobReasons',
  'getJobPace',
  'streamJobs',
  'pauseJob',
  'resumeJob',
  'cancelJob',
  'retryJob',
  'undoJob',
  'listJobParts',
  'putJobPart',
  'submitJob',
];
/** Operations that return a file are not allowed while acting. */
const DOWNLOADS = [
  'recordExport',
  'getEntryFile',
  'downloadReport',
  'previewReport',
  'startReportRun',
  'downloadBackup',
  'createBackupDownload',
  'createReportSchedule',
  'updateReportSchedule',
  'deleteReportSchedule',
  'startEntryExport',
  'startUserExport',
  'startActivityExport',
  'startActingReportExport',
  'createJobFileLink',
  'downloadJobFile',
];

/** Operations that create, change or end a credential, which would outlive the assignment. */
const CREDENTIALS = [
  'createAgentKey',
  'updateAgentKey',
  'revokeAgentKey',
  'describeAgentAuthorization',
  'approveAgentAuthorization',
];

const isAllowed = ({ id, capabilities }: Operation) =>
  OWN_SESSION.has(id) ||
  JOBS.includes(id) ||
  (!DOWNLOADS.includes(id) &&
    !CREDENTIALS.includes(id) &&
    capabilities.some(
      // Operations that require nothing else concern the own account.
      (capability) => capability !== 'Access Web Service' && delegable.has(capability as Capability),
    ));

onEachApp((context) => {
  let proxy: Person;
  let principal: Person;
  beforeAll(async () => {
    const { db, app } = context();
    const siteId = await makeSite(db);
    const admin = as(app, await makePerson(db, siteId));
    proxy = await makePerson(db, siteId);
    principal = await makePerson(db, siteId);
    await admin.post('user/proxy', { proxyUserId: proxy.userId, users: [principal.userId] });
  });

  /** Calls the operations with unknown ids and returns those that answer neither 401 nor 403. */
  async function listAllowedOperations(
    operations: readonly Operation[],
    door: string,
    headers: Record<string, string>,
  ) {
    const open = new Map<string, number>();
    for (const { id, method, url } of operations) {
      const path = door + url.replaceAll(/:\w+/g, String(UNKNOWN_ID));
      // Sequential requests.
      const { status } = await send(context().app, { method, url: path, headers });
      if (![401, 403].includes(status)) open.set(id, status);
    }
    return open;
  }

  test('the bearer API allows exactly the delegable operations, without downloads', async () => {
    const operations = contract.operations.filter(
      ({ isConsoleOnly: consoleOnly, access }) => !consoleOnly && access === 'bearer',
    );
    const headers = { authorization: `Bearer ${proxy.token}`, 'as-user': String(principal.userId) };
    const open = await listAllowedOperations(operations, '', headers);
    expect([...open.keys()]).toEqual(operations.filter(isAllowed).map(({ id }) => id));
    expect(open.size).toBeGreaterThan(30);
  });

  test('the session API allows the same and the acting operations of the session', async () => {
    const calls = as(context().app, proxy, 'console');
    await calls.put('/api/session/acting', { userId: principal.userId, reason: 'Because' });
    // These two would end the session under test; console.test.ts covers them.
    const operations = consoleOperations.filter(
      ({ id, access }) => access !== 'public' && id !== 'signOut' && id !== 'endActing',
    );
    const headers = { cookie: `steward=${proxy.cookie}`, 'x-steward-console': '1' };
    const open = await listAllowedOperations(operations, '/console', headers);
    expect([...open.keys()]).toEqual(operations.filter(isAllowed).map(({ id }) => id));
    for (const [id, status] of OWN_SESSION) expect([id, open.get(id)]).toEqual([id, status]);
  });
});
