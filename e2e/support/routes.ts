/** All routes of the console and values for their parameters, for the walks over all pages. */
import { readFileSync } from 'node:fs';
import { expect, request as requests, type Page } from '@playwright/test';
import type {
  ActingReport,
  GetBackupsResponse,
  InvestigationInfo,
  QueryResultOfRowVm,
  Job,
  PagedResultOfUserActivityEntry,
  RequestBackupResponse,
  Session as SessionVm,
  TopicDefinition,
} from '../../contract/generated/types.gen.ts';
import { createCalls, sendRequest } from './calls.ts';
import { callApi } from './data/entries.ts';
import { ada } from './data/people.ts';
import { uploadTemplate } from './data/templates.ts';

/** Requests in a session of the console. */
type Session = Pick<Page, 'request'>;

/** Values for the parameters of the routes; a page for something that does not exist must fit too. */
const PARAMETERS: Readonly<Record<string, string>> = {
  $: 'nowhere',
  $groupId: '1',
  $siteId: '1',
  $topicId: '1',
  $type: 'Company',
  $userId: '2',
};

/** Values that exist only in the running installation. */
const CREATED_PARAMETERS: Readonly<Record<string, (session: Session) => Promise<string>>> = {
  $activityId: findActivity,
  $destinationId: createDestination,
  $entryId: findEntry,
  $fileName: makeBackup,
  $investigationId: saveInvestigation,
  $jobId: startJob,
  $reportId: actForSomeone,
  $templateId: createTemplate,
};
/** Areas whose parameters all have a value that exists. */
const COMPLETE_AREAS = ['activity', 'backups', 'entries', 'jobs', 'proxies', 'publications', 'reports'];

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

/** Returns the id of the latest row of the activity report: the first rows of the sample are about to be deleted. */
async function findActivity({ request }: Session): Promise<string> {
  const path = '/api/rest/v1/management/user/activity';
  const { rows } = (await sendRequest(request, 'POST', path, {})) as PagedResultOfUserActivityEntry;
  const id = rows[0]?.activityId;
  if (id === undefined) throw new Error('There is no activity');
  return String(id);
}

/** Returns the id of an entry of the sample's companies. */
async function findEntry(session: Session): Promise<string> {
  const path = '/data/entrydata/rows/query/Company';
  const { rows } = await callApi<QueryResultOfRowVm>(session, 'POST', path, {});
  const id = rows[0]?.EntryId;
  if (id === undefined) throw new Error('The sample has no companies');
  return String(id);
}

/** Requests a backup, waits until it has ended and returns its file name. */
async function makeBackup(session: Session): Promise<string> {
  const { data } = await callApi<RequestBackupResponse>(session, 'POST', '/backups/request', {});
  const getStatus = async () => {
    const backups = await callApi<{ data: GetBackupsResponse[] }>(session, 'GET', '/backups');
    return backups.data.find(({ fileName }) => fileName === data.fileName)?.status;
  };
  await expect.poll(getStatus, { timeout: 20_000 }).toBe('Ready');
  return data.fileName;
}

/** Starts a job for one person and returns its id. */
async function startJob({ request }: Session): Promise<string> {
  const body = { userIds: [2], isActive: true };
  const path = '/api/rest/v1/management/jobs/userUpdates';
  return String(((await sendRequest(request, 'POST', path, body)) as Job).id);
}

/** Saves an investigation of all activity and returns its id. */
async function saveInvestigation({ request }: Session): Promise<string> {
  const path = '/api/rest/v1/management/user/activity/investigations';
  const body = { name: 'Walk over all pages', query: {} };
  return String(((await sendRequest(request, 'POST', path, body)) as InvestigationInfo).id);
}

/** Creates a destination that nothing listens at and returns its id. */
async function createDestination({ request }: Session): Promise<string> {
  const topics = (await sendRequest(
    request,
    'GET',
    '/api/rest/v1/publication/topicdefinitions',
  )) as TopicDefinition[];
  const body = { topicId: topics[0]?.id, name: 'Nowhere', url: 'https://hooks.example/steward' };
  const path = '/api/rest/v1/publication/destinations';
  return String(((await sendRequest(request, 'POST', path, body)) as { id: number }).id);
}

/** Uploads a report template for companies and returns its id. */
async function createTemplate(session: Session): Promise<string> {
  return String((await uploadTemplate(session, 'Company', 'Company profile', 'Company {Name}')).id);
}

/** Acts for another user in a session of its own, which makes an acting report, and returns its id. */
async function actForSomeone(session: Session): Promise<string> {
  const { origin } = new URL((await session.request.get('/')).url());
  const context = await requests.newContext({ baseURL: origin });
  const calls = await createCalls(context, ada);
  const principal = await calls.createUser();
  const { user } = (await sendRequest(context, 'GET', '/api/session')) as SessionVm;
  const add = [{ proxyUserId: user.id, userId: principal.id }];
  await calls.call('POST', '/user/proxy/changes', { add });
  await sendRequest(context, 'PUT', '/api/session/acting', {
    userId: principal.id,
    reason: 'Walk over all pages',
  });
  await sendRequest(context, 'DELETE', '/api/session/acting');
  const [report] = await calls.call<ActingReport[]>('GET', '/user/proxy/reports');
  await context.dispose();
  if (!report) throw new Error('Acting for a user made no report');
  return String(report.id);
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

const pathsByArea = listPathsByArea();
const areas = [...pathsByArea.keys()].filter((area) => !(area in SIGNED_OUT));
const isSmall = (area: string): boolean => getPaths(area).length === 1;

/** Groups of areas that are visited together: areas of one page, and each other area alone. */
export const AREA_GROUPS: readonly (readonly string[])[] = [
  areas.filter(isSmall),
  ...areas.filter((area) => !isSmall(area)).map((area) => [area]),
];

/** Paths of an area with the states of its pages; some have parameters that `createParameters` fills. */
export function getPaths(area: string): string[] {
  return [...(pathsByArea.get(area) ?? []), ...(STATES[area] ?? [])];
}

/** Paths of the pages for people without a session. */
export const SIGNED_OUT_PATHS: readonly string[] = Object.entries(SIGNED_OUT).flatMap(([area, token]) =>
  getPaths(area).map((path) => path + token),
);

/** True if all parameters of these areas have a value that exists. */
export const areParametersComplete = (names: readonly string[]): boolean =>
  names.every((name) => COMPLETE_AREAS.includes(name));

/** True if the path is a route and not a state of a page. */
export const isRoute = (path: string): boolean =>
  pathsByArea.get(path.split('/')[1] ?? '')?.includes(path) === true;

/** Creates what the parameters of the paths name. @returns values by parameter */
export async function createParameters(
  session: Session,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const created = new Map<string, string>();
  for (const [name, create] of Object.entries(CREATED_PARAMETERS))
    if (paths.some((path) => path.includes(name))) created.set(name, await create(session));
  return created;
}

/** The path with the created values. */
export const fillPath = (path: string, created: ReadonlyMap<string, string>): string =>
  path.replaceAll(/\$\w+/g, (name) => created.get(name) ?? name);
