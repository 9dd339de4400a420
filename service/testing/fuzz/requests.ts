/** Generated requests: operations of the contract with valid, nearly valid and hostile input, by every kind of caller. */
import * as fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { registry } from '../../areas/registry.ts';
import type { Contract, Operation } from '../../kernel/http/contract.ts';
import { buildMessage } from '../agents.ts';
import { publicOperations, platformOperations } from '../authorization.ts';
import { hashText } from '../jobs.ts';
import {
  chooseProperties,
  createValues,
  fillSlots,
  findKind,
  hostileValues,
  type Mutation,
  mutate,
  mutations,
  type Schema,
  Slot,
} from './schema-values.ts';
import { CLOSED_PORT } from './states.ts';
import { CALLER_KINDS, type CallerKind, type FuzzWorld, PASSWORD, type Surface } from './world.ts';

/** A generated request; its ids are chosen when it is sent. */
export interface RequestPlan {
  operation: Operation;
  surface: Surface;
  caller: CallerKind;
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  /** Undefined: no body. */
  body?: unknown;
  /** Changes of the body, or of the parameters when there is none. */
  mutation?: Mutation;
  /** A text instead of the body. */
  text?: string;
  headers: Record<string, string>;
}

interface ParameterObject {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

interface OperationObject {
  operationId: string;
  parameters?: readonly object[];
  requestBody?: object;
  responses: Record<string, unknown>;
}

/** Operations that would end the credentials of their caller: a caller of their own sends them. */
const HARMFUL_TO_CALLER = new Set([
  'signOut',
  'switchSite',
  'enableApiKey',
  'disableApiKey',
  'changePassword',
  'endOtherSessions',
  'endOwnSession',
  'beginActing',
  'endActing',
  'beginEnrolment',
  'confirmEnrolment',
  'regenerateRecoveryCodes',
  'removePasskey',
  'beginPasskeyRegistration',
  'registerPasskey',
  'provePresence',
]);
/** Operations that delete what they name, or take its rights: only objects that requests created. */
const DESTRUCTIVE = new Set([
  'removeUser',
  'deleteGroup',
  'deleteEntryType',
  'updateEntryType',
  'deleteField',
  'updateField',
  'startUserRemovals',
  'startGroupRemovals',
  'endUserSessions',
]);
/** Operations that wait for events, 10 seconds unless the body says less. */
const POLLS = new Set(['pollPublication', 'pollEnvironment']);
/** Operations whose responses do not end. */
const STREAMS = new Set(['streamJobs', 'streamTopic', 'streamTopicPositions']);

const slot = (kind: string): fc.Arbitrary<Slot> => fc.nat(40).map((at) => new Slot(kind, at));
const word = fc.nat(1e6).map((number) => `word${number}`);
/** Property of a body that is sent as a form with a file. */
const FILE = '#file';

const one = (kind: string) => fc.tuple(slot(kind));
const entryItems = (entryId: fc.Arbitrary<unknown>) =>
  fc
    .array(
      fc.record({
        entryId,
        fieldId: slot('textFieldId'),
        value: word,
        ignoreNearDups: fc.constant(true),
      }),
      { minLength: 1, maxLength: 3 },
    )
    .map((storeRequests) => ({ storeRequests }));
const withFile = (model: fc.Arbitrary<object>) => model.map((each) => ({ ...each, [FILE]: 'template.docx' }));
const topicBodies = fc.record({
  name: word,
  format: fc.constantFrom('Rows', 'Cells'),
  entryTypes: fc.tuple(fc.record({ entryTypeId: slot('entryTypeId') })),
});
const polls = fc.record({
  topics: one('topicName'),
  timeOut: fc.constantFrom(0, 1),
  count: fc.nat(10),
});
const newPasswords = word.map((each) => `Entirely-new-${each}`);
const groupChanges = fc.tuple(fc.record({ userIds: one('userId'), groupIds: one('groupId') }));
/** A part of the items of a job, whose hash is a parameter. */
const PART = { items: [{ userId: 1_000_005 }] };
const PART_HASH = hashText(JSON.stringify(PART));

/** Bodies for operations whose rules a schema does not express. */
const KNOWN_BODIES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  issueToken: slot('tokenRequest'),
  signIn: fc.record({ email: slot('passwordOf'), password: fc.constantFrom(PASSWORD, PASSWORD, 'wrong') }),
  verifySecondFactor: fc.record({ recoveryCode: slot('recoveryCode') }),
  confirmEnrolment: fc.record({ code: slot('oneTimeCode') }),
  registerPasskey: slot('newPasskey'),
  signInWithPasskey: fc.record({ passkey: slot('passkeyProof') }),
  provePresence: fc.constantFrom({ password: PASSWORD }, { password: 'wrong' }),
  changePassword: fc.record({ currentPassword: fc.constant(PASSWORD), password: newPasswords }),
  inspectLink: fc.record({ token: slot('linkToken') }),
  setPassword: fc.record({ token: slot('linkToken'), password: newPasswords }),
  requestPasswordLink: fc.record({ email: slot('email') }),
  inspectInvitation: fc.record({ token: slot('invitationToken') }),
  acceptInvitation: fc.record({ token: slot('invitationToken') }),
  beginActing: fc.record({ userId: slot('principalId'), reason: word }),
  enableApiKey: fc.constant({ scopes: ['data'] }),
  callAgentServer: fc.constantFrom(
    buildMessage('tools/list').body,
    buildMessage('tools/call', { name: 'list_entry_types', arguments: {} }).body,
  ),
  inviteExistingUser: fc.record({ email: slot('inviteeEmail'), type: fc.constant(0) }),
  addExistingUser: fc.record({ email: slot('guestEmail') }),
  addExistingUserAlias: fc.record({ email: slot('guestEmail') }),
  createEntries: entryItems(fc.constantFrom(-1, -2)),
  updateEntries: entryItems(slot('entryId')),
  mergeEntries: fc.record({ entryId: slot('entryId'), mergeEntries: one('entryId') }),
  restoreEntries: one('deletedEntryId'),
  deleteEntries: one('entryId'),
  filterEntries: fc.oneof(fc.constant([]), hostileValues),
  queryRowsByBody: fc.oneof(
    fc.constant({}),
    fc.record({ query: fc.record({ Name: fc.record({ $contains: word }) }) }),
    fc.record({ query: hostileValues }),
  ),
  queryRowsAsOf: fc.record({ asOf: slot('now') }),
  extendSchema: fc.record({
    entryTypeId: slot('mainTypeId'),
    fields: fc.tuple(fc.record({ apiName: word, name: word, fieldType: fc.constantFrom(1, 2, 7) })),
    choices: fc.constant([]),
  }),
  createTableView: word.map((name) => ({
    name,
    address: '',
    layout: { order: [], hidden: [], widths: {} },
  })),
  updateTableView: word.map((name) => ({ name })),
  createReportSchedule: fc.record({
    templateId: slot('templateId'),
    format: fc.constant('docx'),
    frequency: fc.constant('daily'),
    time: fc.constant('06:30'),
    recipients: one('importerId'),
    entryIds: one('entryId'),
  }),
  updateReportSchedule: fc.record({ isPaused: fc.boolean() }),
  createView: word.map((name) => ({
    name,
    search: '',
    query: '',
    sort: '',
    columns: { order: [], hidden: [], widths: {}, frozen: 1 },
  })),
  createReportTemplate: withFile(fc.record({ name: word, entryTypeId: slot('mainTypeId') })),
  checkReportFile: withFile(fc.record({ entryTypeId: slot('mainTypeId') })),
  replaceReportTemplate: fc.record({ name: word }),
  startReportRun: fc.record({ entryIds: one('entryId'), format: fc.constant('docx') }),
  previewReport: fc.record({ entryId: slot('entryId') }),
  importEmails: fc
    .record({ userId: slot('importerId'), handlerType: fc.constant(1), emails: slot('mails') })
    .map((item) => [item]),
  importMeetings: fc
    .record({ userId: slot('importerId'), handlerType: fc.constant(1), meetings: fc.constant([]) })
    .map((item) => [item]),
  updateRelationshipSettings: fc.constant({}),
  startRelationshipImport: fc
    .record({ userId: slot('importerId'), emails: slot('mails') })
    .map((item) => ({ kind: 'emails', items: [item] })),
  startRelationshipUserChanges: fc.record({ isEnabled: fc.constant(true), userIds: one('userId') }),
  createTopicDefinition: topicBodies,
  rehearseTopicDefinition: topicBodies,
  readSchemaImpact: fc.record({ entryTypeId: slot('mainTypeId'), fieldId: slot('textFieldId') }),
  updateTopicDefinition: fc.record({ name: word }),
  createDestination: fc.record({
    topicId: slot('topicId'),
    name: word,
    url: fc.constant(CLOSED_PORT),
  }),
  updateDestination: fc.constantFrom({ isEnabled: false }, { isEnabled: true }),
  pollPublication: polls,
  pollEnvironment: polls,
  acknowledgePublication: fc.tuple(fc.record({ name: slot('topicName'), offset: fc.nat(2) })),
  acknowledgeEnvironment: fc.tuple(fc.record({ name: slot('topicName'), offset: fc.nat(2) })),
  resendEvents: fc.constant({ offset: 0 }),
  moveConsumer: fc.constant({ offset: 0 }),
  startUserUpdates: fc.oneof(
    fc.record({ userIds: one('userId'), isActive: fc.constant(true) }),
    fc.constant({ uploadsItems: true, isActive: true }),
  ),
  startUserRemovals: fc.record({ userIds: one('userId') }),
  startUserImport: fc.record({ userId: slot('userId'), set: fc.record({ lastName: word }) }).map((row) => ({
    fileName: 'users.csv',
    rows: [{ row: 2, ...row }],
  })),
  startLicenseChanges: fc.record({
    licenses: fc.tuple(fc.record({ userId: slot('userId'), licenseTypeId: fc.constantFrom(1, 2) })),
  }),
  startMembershipChanges: fc.record({
    memberships: fc.tuple(fc.record({ userId: slot('userId'), add: one('groupId') })),
  }),
  startGroupRemovals: fc.record({ groupIds: one('groupId') }),
  startInvitations: fc.record({
    invite: fc.tuple(fc.record({ email: slot('guestEmail'), type: fc.constant(0) })),
  }),
  startInvitationExtensions: fc.record({ invitationIds: one('invitationId'), days: fc.constant(1) }),
  startEntryUpdates: fc.record({
    entryTypeId: slot('entryTypeId'),
    entries: fc.tuple(
      fc.record({
        entryId: slot('entryId'),
        values: fc.tuple(fc.record({ fieldId: slot('textFieldId'), value: word })),
      }),
    ),
  }),
  startEntryImport: fc.record({
    entryTypeId: slot('entryTypeId'),
    fileName: fc.constant('things.csv'),
    rows: fc.tuple(
      fc.record({
        row: fc.constant(2),
        values: fc.tuple(fc.record({ fieldId: slot('textFieldId'), value: word })),
      }),
    ),
  }),
  startEntryDeletions: fc.record({ entryTypeId: slot('entryTypeId'), entryIds: one('entryId') }),
  startEntryExport: fc.record({ entryType: slot('entryTypeName'), format: fc.constantFrom('csv', 'xlsx') }),
  startUserExport: fc.record({ format: fc.constantFrom('csv', 'xlsx') }),
  startActivityExport: fc.record({ format: fc.constantFrom('csv', 'xlsx'), query: fc.constant({}) }),
  startActingReportExport: fc.record({ format: fc.constant('csv'), reportId: slot('reportId') }),
  putJobPart: fc.constant(PART),
  submitJob: fc.constant({ parts: [PART_HASH] }),
  queryUserActivity: fc.constant({}),
  summarizeUserActivity: fc.constant({}),
  createInvestigation: fc.record({ name: word, query: fc.constant({}) }),
  updateApprovedAddresses: fc.constantFrom(
    { addresses: [] },
    { addresses: [{ network: '127.0.0.0/8', note: 'a' }] },
  ),
  rehearseApprovedAddresses: fc.constant({ addresses: ['10.0.0.0/8'] }),
  updateSiteIdentity: fc.constant({ mode: 'password' }),
  createExclusion: word.map((each) => ({ value: `${each}.test` })),
  createErasure: word.map((each) => ({ address: `${each}@erased.test` })),
  createUser: word.map((each) => ({ email: `${each}@fuzz.test`, firstName: each, lastName: each })),
  updateUser: fc.record({ id: slot('userId'), lastName: word }),
  updateUserLicense: fc.record({ userId: slot('userId'), licenseTypeId: fc.constantFrom(1, 2, 3) }),
  getUsersByIds: one('userId'),
  assignGroups: groupChanges,
  unassignGroups: groupChanges,
  createEntryType: word.map((apiName) => ({ apiName, singularName: apiName, pluralName: apiName })),
  createField: fc.record({ apiName: word, name: word, fieldType: fc.constantFrom(1, 2, 3, 4, 7) }),
  updateField: fc.record({ name: word }),
  createPlatformSite: word.map((slug) => ({ slug, name: slug, administratorEmail: `${slug}@fuzz.test` })),
};
/** Parameters by operation and name, for those whose name does not say which values exist. */
const KNOWN_PARAMETERS: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
  downloadJobFile: { jobId: slot('fileJobId') },
  createJobFileLink: { jobId: slot('fileJobId') },
  downloadJobFileByLink: { downloadToken: slot('fileToken') },
  putJobPart: {
    jobId: slot('uploadJobId'),
    part: fc.constant(1),
    firstItem: fc.constant(1),
    sha256: fc.constant(PART_HASH),
  },
  submitJob: { jobId: slot('uploadJobId') },
  getEntryFile: { entryId: slot('fileEntryId'), fieldId: slot('fileFieldId') },
  getImportRun: { runId: slot('importRunId') },
  getReportRun: { runId: slot('runId') },
  cancelReportRun: { runId: slot('waitingRunId') },
  downloadReport: { runId: slot('runId') },
  compareReportRuns: { runId: slot('runId'), with: slot('runId') },
  updateReportSchedule: { scheduleId: slot('scheduleId') },
  deleteReportSchedule: { scheduleId: slot('scheduleId') },
  listTableViews: { table: fc.constant('users') },
  createTableView: { table: fc.constant('users') },
  setDefaultTableView: { table: fc.constant('users') },
  updateTableView: { table: fc.constant('users'), viewId: slot('tableViewId') },
  deleteTableView: { table: fc.constant('users'), viewId: slot('tableViewId') },
  sendTestMail: { mailId: fc.constantFrom(...registry.mailExamples.map(({ id }) => id)) },
  resendInvitation: { id: slot('pendingInvitationId') },
  revokeInvitation: { id: slot('pendingInvitationId') },
  extendInvitation: { id: slot('pendingInvitationId') },
  resumeJob: { jobId: slot('pausedJobId') },
  retryJob: { jobId: slot('endedJobId') },
  undoJob: { jobId: slot('undoJobId') },
  resetTwoFactor: { userId: slot('factorUserId') },
  createView: { entryTypeId: slot('mainTypeId') },
  getView: { entryTypeId: slot('mainTypeId') },
  updateView: { entryTypeId: slot('mainTypeId') },
  deleteView: { entryTypeId: slot('mainTypeId') },
  listChangedEntries: { modifiedSince: slot('now') },
  readChangeMoments: { at: slot('now') },
  readGoneValues: { at: slot('now') },
};
/** Kind of the values that `{id}` names, by the segment of the path before it. */
const KINDS_BY_SEGMENT: Readonly<Record<string, string>> = {
  user: 'userId',
  group: 'groupId',
  investigations: 'investigationId',
  reports: 'reportId',
  invitations: 'invitationId',
  entrytypes: 'entryTypeId',
  fields: 'fieldId',
  allfields: 'fieldId',
  views: 'viewId',
  jobs: 'jobId',
  templatereports: 'templateId',
  schedules: 'scheduleId',
  runs: 'runId',
  topicdefinitions: 'topicId',
  destinations: 'destinationId',
  keys: 'keyId',
  exclusions: 'exclusionId',
  sites: 'siteId',
  passkeys: 'passkeyId',
  sessions: 'sessionId',
};

const getSegments = (url: string): string[] =>
  url.split('/').filter((part) => part !== '' && !part.startsWith(':'));

/** Kind of the property `id` in responses of an operation. */
export function findKindOfId(url: string): string | undefined {
  if (url.includes('/jobs/') && !url.includes(':')) return 'jobId';
  if (url.includes('/ri/import/runs')) return 'importRunId';
  if (url.includes('/tables/')) return 'tableViewId';
  return KINDS_BY_SEGMENT[getSegments(url).at(-1) ?? ''];
}

const HOSTILE_HEADERS: fc.Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>>(
  { 'if-match': '*' },
  { 'if-match': '"1"' },
  { 'if-match': 'W/"a", "b"' },
  { 'if-none-match': '*' },
  { range: 'bytes=0-0' },
  { range: 'bytes=9-1,-5' },
  { range: 'bytes=-' },
  { accept: 'text/html' },
  { accept: '*/*;q=0' },
  { 'as-user': '0' },
  { 'as-user': '2147483648' },
  { 'as-user': 'me' },
  { 'last-event-id': '-1' },
  { 'last-event-id': '99999999999999999999' },
  { 'x-forwarded-for': '127.0.0.1, evil' },
  { 'content-encoding': 'gzip' },
  { 'accept-encoding': 'br' },
  { origin: 'https://evil.test' },
  { 'idempotency-key': 'x'.repeat(300) },
);
const BROKEN_TEXTS = fc.constantFrom(
  '',
  '{',
  '{"a":1,}',
  '[1,2',
  'null',
  '"text"',
  '\ufeff{}',
  '{"a":1}{"b":2}',
  '{"__proto__":{"isAdmin":true}}',
  '{"id":1,"id":2}',
  '['.repeat(100),
  '1e400',
  `{"a":"${'x'.repeat(20_000)}"}`,
);

/** Callers that an operation is likely to accept. */
function getUsualCallers(operation: Operation): readonly CallerKind[] {
  if (platformOperations.has(operation.id)) return ['platform'];
  if (HARMFUL_TO_CALLER.has(operation.id)) return ['disposable'];
  if (operation.allowedPendingStep) return ['half', 'disposable'];
  if (publicOperations.has(operation.id)) return ['anonymous'];
  return ['administrator'];
}

/** Callers whose credentials an operation may end. */
const canCall = (caller: CallerKind, id: string): boolean =>
  !HARMFUL_TO_CALLER.has(id) || !['administrator', 'platform', 'reader', 'proxy', 'foreign'].includes(caller);

interface Resolved {
  deref: (schema: Schema) => Schema;
  find(id: string): { parameters: ParameterObject[]; body: Schema | undefined };
}

/** Reads parameters and body schemas from the document of the contract. */
function readDocument({ document }: Contract): Resolved {
  const deref = <T extends object>(node: T): T => {
    if (!('$ref' in node) || typeof node.$ref !== 'string') return node;
    const path = node.$ref.slice(2).split('/');
    return deref(path.reduce<unknown>((target, key) => Object(target)[key], document) as T);
  };
  const byId = new Map<string, { parameters: ParameterObject[]; body: Schema | undefined }>();
  for (const item of Object.values(document.paths))
    for (const method of ['get', 'put', 'post', 'delete', 'patch']) {
      const spec = item[method] as OperationObject | undefined;
      if (!spec) continue;
      const shared = (item['parameters'] ?? []) as readonly object[];
      const parameters = [...shared, ...(spec.parameters ?? [])].map(
        (each) => deref(each) as ParameterObject,
      );
      const content = spec.requestBody
        ? (deref(spec.requestBody) as { content: Record<string, { schema?: Schema }> }).content
        : {};
      const body = (content['application/json'] ?? content['application/x-www-form-urlencoded'])?.schema;
      byId.set(spec.operationId, { parameters, body });
    }
  return { deref, find: (id) => byId.get(id) ?? { parameters: [], body: undefined } };
}

/** Generates requests of one operation. */
function createOperationRequests(operation: Operation, document: Resolved): fc.Arbitrary<RequestPlan> {
  const { parameters, body } = document.find(operation.id);
  const known = KNOWN_PARAMETERS[operation.id] ?? {};
  const segments = getSegments(operation.url);
  const createParameters = (location: string) => {
    const list = parameters.filter((each) => each.in === location);
    const model = Object.fromEntries(
      list.map(({ name, schema }) => {
        const kindOfId =
          name === 'id' ? segments.map((each) => KINDS_BY_SEGMENT[each]).findLast(Boolean) : undefined;
        const kind = kindOfId ?? (location === 'path' ? findKind(name) : undefined);
        const usual =
          known[name] ?? (kind === undefined ? createValues(schema, document.deref, name) : slot(kind));
        return [name, usual] as const;
      }),
    );
    const requiredKeys = list.filter(({ required }) => required === true).map(({ name }) => name);
    return chooseProperties(model, requiredKeys);
  };
  const generated = body ? createValues(body, document.deref) : fc.constant(undefined);
  const knownBody = KNOWN_BODIES[operation.id];
  const bodies = knownBody
    ? fc.oneof({ weight: 3, arbitrary: knownBody }, { weight: 1, arbitrary: generated })
    : generated;
  const surfaces: Surface[] =
    operation.id === 'issueToken' || operation.access === 'agent'
      ? ['program']
      : operation.isConsoleOnly
        ? ['console']
        : ['program', 'console'];
  const usual = getUsualCallers(operation);
  const callers = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...usual) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(...CALLER_KINDS.filter((caller) => canCall(caller, operation.id))),
    },
  );
  return fc
    .record(
      {
        surface: fc.constantFrom(...surfaces),
        caller: callers,
        params: createParameters('path'),
        query: createParameters('query'),
        body: bodies,
        mutation: fc.option(mutations, { nil: undefined, freq: 1 }),
        isMutated: fc.constantFrom(true, false, false),
        text: fc.option(BROKEN_TEXTS, { nil: undefined, freq: 1 }),
        isBroken: fc.constantFrom(true, ...Array.from({ length: 24 }, () => false)),
        headers: fc.oneof(
          { weight: 6, arbitrary: fc.constant({}) },
          { weight: 1, arbitrary: HOSTILE_HEADERS },
        ),
      },
      { noNullPrototype: true },
    )
    .map(({ mutation, isMutated, text, isBroken, body: generatedBody, ...plan }) => ({
      operation,
      ...plan,
      ...(generatedBody !== undefined && { body: generatedBody }),
      ...(isMutated && mutation && { mutation }),
      ...(isBroken && text !== undefined && { text }),
    }));
}

/** Generators of requests, one for each operation. */
export function createRequests(contract: Contract): fc.Arbitrary<RequestPlan>[] {
  const document = readDocument(contract);
  return contract.operations.map((operation) => createOperationRequests(operation, document));
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Builds the request to send, with the values that exist now. */
export function buildRequest(plan: RequestPlan, world: FuzzWorld): InjectOptions & { url: string } {
  const { operation, surface, caller, mutation } = plan;
  const onlyRecent = DESTRUCTIVE.has(operation.id);
  const fill = (value: unknown) => fillSlots(value, (each) => world.values.pick(each, onlyRecent));
  const mutatesBody = plan.body !== undefined && mutation && mutation.node % 4 > 0;
  const parts = fill({ params: plan.params, query: plan.query }) as Pick<RequestPlan, 'params' | 'query'>;
  const changed = mutation && !mutatesBody ? (mutate(parts, mutation) as Partial<typeof parts>) : parts;
  const params = Object(changed.params ?? parts.params) as Record<string, unknown>;
  const path = operation.url.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodePart(toText(params[name] ?? parts.params[name] ?? UNKNOWN)),
  );
  const query = Object.entries(Object(changed.query ?? parts.query) as Record<string, unknown>).flatMap(
    ([name, value]) => [value].flat().map((each) => `${encodePart(name)}=${encodePart(toText(each))}`),
  );
  const url = `${surface === 'console' ? '/console' : ''}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const filled = fill(plan.body);
  const body = shortenPoll(operation, mutatesBody ? mutate(filled, mutation) : filled);
  const headers: Record<string, string> = { ...world.getHeaders(caller, surface), ...plan.headers };
  if (operation.access === 'agent' && caller !== 'anonymous' && caller !== 'invalid')
    Object.assign(headers, {
      ...buildMessage(String(Object(body)['method'] ?? ''), Object(Object(body)['params']) as object).headers,
      authorization: `Bearer ${String(world.values.pick(new Slot('agentSecret', 0)))}`,
    });
  const method = STREAMS.has(operation.id) ? 'HEAD' : operation.method;
  const payload = encodeBody(operation, plan.text, body, world.template);
  return {
    method,
    url,
    headers: { ...cleanHeaders(headers), ...(payload && { 'content-type': payload.type }) },
    ...(payload && { payload: payload.content }),
  };
}

/** HTTP cannot carry control characters in headers; requests that skip the network could. */
const cleanHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/[^\t\u0020-\u007e]/g, '?')]),
  );

/** A poll that would wait for seconds waits for milliseconds. */
function shortenPoll({ id }: Operation, body: unknown): unknown {
  if (!POLLS.has(id) || typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const timeOut: unknown = Reflect.get(body, 'timeOut') ?? 10_000;
  return typeof timeOut === 'number' && timeOut > 5 && timeOut <= 60_000 ? { ...body, timeOut: 5 } : body;
}

const UNKNOWN = 2_147_483_647;

/** Encodes a part of a URL; a lone surrogate, which cannot be encoded, becomes its replacement. */
const encodePart = (text: string): string => encodeURIComponent(text.toWellFormed()).slice(0, 6_000) || '%20';

function encodeBody(
  operation: Operation,
  text: string | undefined,
  body: unknown,
  file: Buffer,
): { type: string; content: string | Buffer } | undefined {
  if (text !== undefined && operation.method !== 'GET' && !POLLS.has(operation.id))
    return { type: 'application/json', content: text };
  if (body === undefined) return undefined;
  if (operation.isForm) {
    const fields = Object.entries(Object(body) as object).map(
      ([name, value]) => `${encodePart(name)}=${encodePart(toText(value))}`,
    );
    return { type: 'application/x-www-form-urlencoded', content: fields.join('&') };
  }
  const isForm = typeof body === 'object' && body !== null && FILE in body;
  if (!isForm) return { type: 'application/json', content: JSON.stringify(body) };
  const { [FILE]: fileName, ...model } = body as Record<string, unknown>;
  const boundary = 'fuzz-boundary';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="model"\r\n\r\n${JSON.stringify(model)}\r\n--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${String(fileName)}"\r\ncontent-type: application/octet-stream\r\n\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    content: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}
