/** Expected authorization of each operation: who may call it, and the response to an administrator of another site. */
import type { OwnRouteOperation } from '../areas/registry.ts';
import type { OperationId } from '../kernel/http/handler.ts';
import type { Person } from './site.ts';

export const UNKNOWN_ID = 2_147_483_647;
const NO_COLUMNS = { order: [], hidden: [], widths: {}, frozen: 1 };

/** Operations without authentication; each one is a deliberate decision. */
export const publicOperations = new Set([
  'issueToken',
  'signIn',
  'inspectLink',
  'setPassword',
  'requestPasswordLink',
  'createFirstAdministrator',
  'beginIdentitySignIn',
  'finishIdentitySignIn',
  'downloadBackupByLink',
  'downloadJobFileByLink',
  'inspectInvitation',
  'acceptInvitation',
  'beginPasskeySignIn',
  'signInWithPasskey',
]);
/** Operations that affect nothing but the caller's own session or account. */
export const ownSessionOperations = new Set([
  'getSession',
  'signOut',
  'switchSite',
  'getApiKey',
  'disableApiKey',
  'getApiKeyUsage',
  'verifySecondFactor',
  'beginPasskeyProof',
  'beginEnrolment',
  'confirmEnrolment',
  'provePresence',
  'getOwnSecurity',
  'regenerateRecoveryCodes',
  'beginPasskeyRegistration',
  'registerPasskey',
  'removePasskey',
  'listOwnSessions',
  'endOtherSessions',
  'endOwnSession',
  'changePassword',
  'updateOwnProfile',
  'listNotifications',
  'countUnreadNotifications',
  'markNotificationsRead',
  'getNotificationSettings',
  'updateNotificationSettings',
  'getSiteBrand',
  'getIdentitySignOut',
  'listOwnPrincipals',
  'beginActing',
  'endActing',
  'recordExport',
]);

/** Operations on jobs: which jobs a caller sees and steers depends on who started them and on the scope of their kind. */
export const jobOperations = new Set([
  'listJobs',
  'streamJobs',
  'getJob',
  'listJobItems',
  'listJobReasons',
  'getJobPace',
  'downloadJobReport',
  'listJobParts',
  'putJobPart',
  'submitJob',
  'pauseJob',
  'resumeJob',
  'cancelJob',
  'retryJob',
  'undoJob',
  'downloadJobFile',
  'createJobFileLink',
]);

/** Operations above all sites. A capability on one site is not enough; their own tests cover them. */
export const platformOperations = new Set([
  'getInstallation',
  'listPlatformSites',
  'createPlatformSite',
  'getPlatformSite',
  'updatePlatformSite',
  'getSiteIdentity',
  'updateSiteIdentity',
]);

type ForeignUser = Pick<Person, 'userId' | 'groupId' | 'email'>;
type ProtectedOperation = Exclude<
  OperationId,
  | OwnRouteOperation
  | 'issueToken'
  | 'signIn'
  | 'inspectLink'
  | 'setPassword'
  | 'requestPasswordLink'
  | 'createFirstAdministrator'
  | 'downloadBackupByLink'
  | 'downloadJobFileByLink'
  | 'inspectInvitation'
  | 'acceptInvitation'
  | 'getSession'
  | 'signOut'
  | 'switchSite'
  | 'listOwnPrincipals'
  | 'beginActing'
  | 'endActing'
  | 'recordExport'
  | 'getApiKey'
  | 'disableApiKey'
  | 'getApiKeyUsage'
  | 'verifySecondFactor'
  | 'beginPasskeyProof'
  | 'beginEnrolment'
  | 'confirmEnrolment'
  | 'provePresence'
  | 'getOwnSecurity'
  | 'regenerateRecoveryCodes'
  | 'beginPasskeyRegistration'
  | 'registerPasskey'
  | 'removePasskey'
  | 'listOwnSessions'
  | 'endOtherSessions'
  | 'endOwnSession'
  | 'changePassword'
  | 'updateOwnProfile'
  | 'listNotifications'
  | 'countUnreadNotifications'
  | 'markNotificationsRead'
  | 'getNotificationSettings'
  | 'updateNotificationSettings'
  | 'getSiteBrand'
  | 'beginPasskeySignIn'
  | 'getInstallation'
  | 'listPlatformSites'
  | 'createPlatformSite'
  | 'getPlatformSite'
  | 'updatePlatformSite'
  | 'getSiteIdentity'
  | 'updateSiteIdentity'
  | 'beginIdentitySignIn'
  | 'getIdentitySignOut'
  | 'finishIdentitySignIn'
  | 'signInWithPasskey'
>;

/**
 * Requests of an administrator of another site that name a user or group of this one, with the expected response. An
 * implemented operation without a row is a type error.
 */
export const foreignCalls: Record<
  ProtectedOperation,
  {
    status: number;
    query?: (who: ForeignUser) => string;
    body?: (who: ForeignUser) => unknown;
    answer?: unknown;
  }
> = {
  searchUsers: { status: 200, query: ({ email }) => `?email=${email}`, answer: [] },
  getUsersByIds: { status: 200, body: ({ userId }) => [userId], answer: [] },
  getUser: { status: 404 },
  explainAccess: { status: 404 },
  getUserSecurity: { status: 404 },
  resetTwoFactor: { status: 404 },
  sendPasswordLink: { status: 404 },
  endUserSessions: { status: 404 },
  enableApiKey: { status: 409, body: () => ({ scopes: ['user_management'] }) },
  updateUser: { status: 404, body: ({ userId }) => ({ id: userId, lastName: 'Taken' }) },
  removeUser: { status: 404 },
  createUser: {
    status: 400,
    body: ({ groupId }) => ({ email: 'a@b.test', firstName: 'A', lastName: 'B', groups: [groupId] }),
  },
  getUserLicense: { status: 404 },
  updateUserLicense: { status: 404, body: ({ userId }) => ({ userId, licenseTypeId: 4 }) },
  searchUserLicenses: { status: 200, query: () => '?pageSize=1000' },
  getUserLicenseHistory: { status: 404 },
  listLicenseSeats: { status: 200 },
  forecastLicenseSeats: { status: 200 },
  listSeatTotals: { status: 200 },
  listUnusedLicenses: { status: 200, query: () => '?days=1&pageSize=1000' },
  getUserActivity: { status: 404 },
  queryUserActivity: { status: 200, body: ({ userId }) => ({ userIds: [userId] }) },
  summarizeUserActivity: { status: 200, body: ({ userId }) => ({ userIds: [userId] }) },
  readLastActivity: { status: 200, body: ({ userId }) => ({ userIds: [userId] }), answer: [] },
  listUserChanges: { status: 404 },
  listConfigurationChanges: {
    status: 200,
    query: ({ userId }) => `?userIds=${userId}`,
    answer: { changes: [] },
  },
  listInvestigations: { status: 200 },
  createInvestigation: {
    status: 200,
    body: ({ userId }) => ({ name: 'Mine', query: { userIds: [userId] } }),
  },
  readInvestigation: { status: 404 },
  updateInvestigation: { status: 404, body: () => ({ name: 'Taken' }) },
  deleteInvestigation: { status: 404 },
  listGroups: { status: 200, query: () => '?pageSize=1000' },
  getGroup: { status: 404 },
  createGroup: { status: 200, body: () => ({ name: `Mine ${crypto.randomUUID()}` }) },
  updateGroup: { status: 404, body: () => ({ name: 'Taken', capabilities: [] }) },
  deleteGroup: { status: 404 },
  assignGroups: { status: 400, body: ({ userId, groupId }) => [{ userIds: [userId], groupIds: [groupId] }] },
  // These operations cannot name anybody of another site: they affect the caller's own site.
  readTwoFactorCoverage: { status: 200 },
  listApprovedAddresses: { status: 200 },
  updateApprovedAddresses: { status: 200, body: () => ({ addresses: [] }) },
  rehearseApprovedAddresses: { status: 200, body: () => ({ addresses: [] }) },
  listTaskFailures: { status: 200, answer: [] },
  retryTaskFailures: { status: 204 },
  // Without the license there are no keys and no calls; service/areas/agent tests the rest.
  getAgentSettings: { status: 200 },
  updateAgentSettings: { status: 403, body: () => ({ isEnabled: true }) },
  forbidToAgents: { status: 403, body: () => ({ entryTypeId: 1, isForbidden: true }) },
  stopAgents: { status: 200 },
  listAgentKeys: { status: 200, query: ({ userId }) => `?userId=${userId}` },
  createAgentKey: { status: 403, body: ({ userId }) => ({ name: 'Mine', userId }) },
  updateAgentKey: { status: 404, body: () => ({ isPaused: true }) },
  revokeAgentKey: { status: 404 },
  describeAgentAuthorization: { status: 403, body: () => ({ request: 'response_type=code' }) },
  approveAgentAuthorization: { status: 403, body: () => ({ request: 'response_type=code' }) },
  listAgentClients: { status: 200, query: ({ userId }) => `?userId=${userId}` },
  listAgentCalls: {
    status: 200,
    query: ({ userId }) => `?userId=${userId}`,
    answer: { calls: [], nextBefore: null },
  },
  summarizeAgentCalls: { status: 200, query: ({ userId }) => `?userId=${userId}` },
  previewAgentCall: { status: 403, body: ({ userId }) => ({ userId, tool: 'list_entry_types' }) },
  getSiteSettings: { status: 200 },
  listSiteFigures: { status: 200 },
  updateSiteSettings: { status: 200, body: () => ({}) },
  updateSiteBrand: { status: 200, body: () => ({}) },
  listMailPreviews: { status: 200 },
  sendTestMail: { status: 404 },
  listProxies: { status: 200, query: ({ userId }) => `?userId=${userId}`, answer: [] },
  updateProxies: { status: 404, body: ({ userId }) => ({ proxyUserId: userId, users: [] }) },
  changeProxies: {
    status: 400,
    body: ({ userId }) => ({ add: [{ proxyUserId: userId, userId }] }),
  },
  listActingReports: { status: 200, query: ({ userId }) => `?userId=${userId}`, answer: [] },
  readActingReport: { status: 404 },
  unassignGroups: {
    status: 400,
    body: ({ userId, groupId }) => [{ userIds: [userId], groupIds: [groupId] }],
  },
  inviteExistingUser: {
    status: 400,
    body: ({ email, groupId }) => ({ email, type: 0, groups: [groupId] }),
  },
  addExistingUser: { status: 403, body: ({ email }) => ({ email }) },
  addExistingUserAlias: { status: 403, body: ({ email }) => ({ email }) },
  listInvitations: { status: 200, query: () => '?pageSize=1000', answer: [] },
  revokeInvitation: { status: 404 },
  deleteInvitation: { status: 404 },
  resendInvitation: { status: 404 },
  extendInvitation: { status: 404, body: () => ({ days: 1 }) },
  checkInvitees: { status: 200, body: () => ({ emails: ['nobody@nowhere.test'] }) },
  listEntries: { status: 404 },
  listEntriesHistory: { status: 404 },
  listEntriesAllHistory: { status: 404 },
  listAllEntriesHistory: { status: 200, answer: [] },
  filterEntries: { status: 404, body: () => [] },
  readEntryData: {
    status: 200,
    body: () => [{ entryId: 1, fieldId: 1 }],
    answer: [{ entryId: 1, fieldId: 1, error: { code: 404, description: 'Entry 1 does not exist' } }],
  },
  readHistoricalData: { status: 404, body: () => ({ entryTypeId: UNKNOWN_ID, fromDate: '2026-01-01' }) },
  getEntryFile: { status: 404 },
  createEntries: { status: 404, body: () => ({ storeRequests: [] }) },
  updateEntries: { status: 404, body: () => ({ storeRequests: [] }) },
  deleteEntries: { status: 404, body: () => [1] },
  mergeEntries: { status: 404, body: () => ({ entryId: 1, mergeEntries: [2] }) },
  findEntries: {
    status: 200,
    body: () => ({ ids: [1], names: ['A'], startsWith: 'A' }),
    answer: { entries: [], named: [], starting: [] },
  },
  countChangedEntries: { status: 200, answer: [] },
  listEntryChanges: { status: 404 },
  readEntryLineage: { status: 404 },
  readGoneValues: { status: 404, query: () => '?at=2026-01-01' },
  listChangedEntries: { status: 404 },
  queryRowsAsOf: { status: 404, body: () => ({ asOf: '2026-01-01' }) },
  readChangeMoments: { status: 404, query: () => '?at=2026-01-01' },
  restoreEntries: { status: 404, body: () => [1] },
  queryRows: { status: 404 },
  queryRowsByBody: { status: 404, body: () => ({}) },
  listViews: { status: 404 },
  createView: {
    status: 404,
    body: () => ({ name: 'Mine', search: '', query: '', sort: '', columns: NO_COLUMNS }),
  },
  getView: { status: 404 },
  updateView: { status: 404, body: () => ({ name: 'Taken' }) },
  deleteView: { status: 404 },
  // The path names no table; service/areas/views/table-views.test.ts tests views of other sites.
  listTableViews: { status: 400 },
  createTableView: {
    status: 400,
    body: () => ({ name: 'Mine', address: '', layout: { order: [], hidden: [], widths: {} } }),
  },
  updateTableView: { status: 400, body: () => ({ name: 'Taken' }) },
  deleteTableView: { status: 400 },
  setDefaultTableView: { status: 400, body: () => ({ viewId: null }) },
  // A job of another site's user finds nobody: the item becomes a conflict (service/areas/jobs/jobs.test.ts).
  startUserUpdates: { status: 202, body: ({ userId }) => ({ userIds: [userId], isActive: false }) },
  startUserRemovals: { status: 202, body: ({ userId }) => ({ userIds: [userId] }) },
  startUserImport: {
    status: 202,
    body: ({ userId }) => ({
      fileName: 'people.csv',
      rows: [{ row: 2, userId, set: { lastName: 'Taken' } }],
    }),
  },
  startLicenseChanges: { status: 202, body: ({ userId }) => ({ licenses: [{ userId, licenseTypeId: 4 }] }) },
  startMembershipChanges: {
    status: 202,
    body: ({ userId, groupId }) => ({ memberships: [{ userId, add: [groupId] }] }),
  },
  startGroupRemovals: { status: 400, body: ({ groupId }) => ({ groupIds: [groupId] }) },
  startInvitations: { status: 202, body: ({ email }) => ({ invite: [{ email, type: 0 }] }) },
  startInvitationExtensions: { status: 202, body: () => ({ invitationIds: [UNKNOWN_ID], days: 1 }) },
  startInvitationDeletions: { status: 202, body: () => ({ invitationIds: [UNKNOWN_ID] }) },
  startInvitationRevocations: { status: 202, body: () => ({ invitationIds: [UNKNOWN_ID] }) },
  startEntryUpdates: { status: 404, body: () => ({ entryTypeId: UNKNOWN_ID, entries: [{ entryId: 1 }] }) },
  startEntryImport: {
    status: 404,
    body: () => ({
      entryTypeId: UNKNOWN_ID,
      fileName: 'things.csv',
      rows: [{ row: 2, values: [{ fieldId: 1, value: 'Taken' }] }],
    }),
  },
  startEntryDeletions: { status: 404, body: () => ({ entryTypeId: UNKNOWN_ID, entryIds: [1] }) },
  listJobs: { status: 200, query: () => '?owner=others' },
  streamJobs: { status: 200 },
  getJob: { status: 404 },
  listJobItems: { status: 404 },
  listJobReasons: { status: 404 },
  getJobPace: { status: 404 },
  downloadJobReport: { status: 404 },
  listJobParts: { status: 404 },
  putJobPart: {
    status: 404,
    query: () => `?firstItem=1&sha256=${'0'.repeat(64)}`,
    body: ({ userId }) => ({ items: [{ userId }] }),
  },
  submitJob: { status: 404, body: () => ({ parts: ['0'.repeat(64)] }) },
  pauseJob: { status: 404 },
  resumeJob: { status: 404 },
  cancelJob: { status: 404 },
  retryJob: { status: 404 },
  undoJob: { status: 404 },
  startEntryExport: { status: 404, body: () => ({ entryType: String(UNKNOWN_ID), format: 'csv' }) },
  startUserExport: { status: 202, body: () => ({ format: 'csv' }) },
  startActivityExport: { status: 202, body: () => ({ format: 'csv', query: {} }) },
  startActingReportExport: { status: 404, body: () => ({ format: 'csv', reportId: UNKNOWN_ID }) },
  createJobFileLink: { status: 404 },
  downloadJobFile: { status: 404 },
  listReportTemplates: { status: 200, answer: [] },
  createReportTemplate: { status: 400, body: () => ({ name: 'Mine', entryTypeId: UNKNOWN_ID }) },
  getReportTemplate: { status: 404 },
  replaceReportTemplate: { status: 404, body: () => ({ name: 'Taken' }) },
  deleteReportTemplate: { status: 404 },
  downloadReportTemplate: { status: 404 },
  checkReportTemplate: { status: 404 },
  checkReportFile: { status: 404, body: () => ({ entryTypeId: UNKNOWN_ID }) },
  previewReport: { status: 404, body: () => ({ entryId: UNKNOWN_ID }) },
  listReportPlaceholders: { status: 404, query: () => `?entryTypeId=${UNKNOWN_ID}` },
  getReportOptions: { status: 200 },
  startReportRun: { status: 404, body: () => ({ entryIds: [UNKNOWN_ID], format: 'docx' }) },
  listReportRuns: { status: 200, query: () => '?owner=all', answer: [] },
  getReportRun: { status: 404 },
  cancelReportRun: { status: 404 },
  downloadReport: { status: 404 },
  listReportRecipients: { status: 200 },
  listReportSchedules: { status: 200, query: () => '?owner=all', answer: [] },
  createReportSchedule: {
    status: 404,
    body: () => ({
      templateId: UNKNOWN_ID,
      query: {},
      format: 'docx',
      frequency: 'daily',
      time: '07:30',
      recipients: [],
    }),
  },
  updateReportSchedule: { status: 404, body: () => ({ isPaused: true }) },
  deleteReportSchedule: { status: 404 },
  compareReportRuns: { status: 404, query: () => `?with=${UNKNOWN_ID}` },
  requestBackup: { status: 404, body: () => ({ ids: [UNKNOWN_ID] }) },
  listBackups: { status: 200, answer: { isSuccess: true, data: [] } },
  downloadBackup: { status: 404 },
  createBackupDownload: { status: 404 },
  deleteBackup: { status: 404 },
  cancelBackup: { status: 404 },
  verifyBackup: { status: 404 },
  readBackupContents: { status: 404 },
  listBackupDownloads: { status: 404 },
  getBackupAddress: { status: 200 },
  getBackupSettings: { status: 200 },
  updateBackupSettings: {
    status: 200,
    body: () => ({ isDaily: false, hour: 3, keepDays: 30, includeFiles: false, verify: false }),
  },
  listEntryTypes: { status: 200, answer: [] },
  listEntryTypeStatistics: { status: 200, answer: [] },
  createEntryType: {
    status: 200,
    body: () => ({
      apiName: `T${crypto.randomUUID().replaceAll('-', '')}`,
      singularName: 'A',
      pluralName: 'B',
    }),
  },
  getEntryType: { status: 404 },
  updateEntryType: { status: 404, body: () => ({ singularName: 'Taken' }) },
  deleteEntryType: { status: 404 },
  listCalculationFailures: { status: 404 },
  listFields: { status: 404 },
  createField: { status: 404, body: () => ({ apiName: 'A', name: 'A', fieldType: 1 }) },
  extendSchema: {
    status: 404,
    body: () => ({
      entryTypeId: UNKNOWN_ID,
      fields: [{ apiName: 'A', name: 'A', fieldType: 1 }],
      choices: [],
    }),
  },
  readSchemaImpact: { status: 404, body: () => ({ entryTypeId: UNKNOWN_ID }) },
  listAllFields: { status: 200 },
  getField: { status: 404 },
  updateField: { status: 404, body: () => ({ name: 'Taken' }) },
  deleteField: { status: 404 },
  listCurrencies: { status: 200 },
  listFieldTypes: { status: 200 },
  listFilterOperations: { status: 200 },
  listSchemaUsers: { status: 200 },
  // Keys and topics belong to the caller's own site; the ids of other sites do not exist.
  pollPublication: { status: 400, body: () => ({ topics: ['deals'] }) },
  acknowledgePublication: { status: 400, body: () => [{ name: 'deals', offset: 0 }] },
  pollEnvironment: { status: 404, body: () => ({ topics: ['default-data'] }) },
  acknowledgeEnvironment: { status: 404, body: () => [{ name: 'default-data', offset: 0 }] },
  getTopicSchema: { status: 404 },
  getAsyncApi: { status: 200 },
  listTopics: { status: 200, answer: ['default-data', 'default-users', 'default-schema'] },
  streamTopic: { status: 400, query: () => '?topic=deals' },
  streamTopicPositions: { status: 200 },
  listTopicDefinitions: { status: 200 },
  createTopicDefinition: {
    status: 400,
    body: () => ({ name: 'mine', format: 'Rows', entryTypes: [{ entryTypeId: UNKNOWN_ID }] }),
  },
  getTopicDefinition: { status: 404 },
  updateTopicDefinition: { status: 404, body: () => ({ name: 'taken' }) },
  deleteTopicDefinition: { status: 404 },
  rehearseTopicDefinition: {
    status: 400,
    body: () => ({ name: 'mine', format: 'Rows', entryTypes: [{ entryTypeId: UNKNOWN_ID }] }),
  },
  listDestinations: { status: 200, answer: [] },
  createDestination: {
    status: 400,
    body: () => ({ topicId: UNKNOWN_ID, name: 'Mine', url: 'https://hooks.example.com' }),
  },
  getDestination: { status: 404 },
  updateDestination: { status: 404, body: () => ({ isEnabled: false }) },
  deleteDestination: { status: 404 },
  listDeliveryAttempts: { status: 404 },
  resendEvents: { status: 404, body: () => ({ offset: 0 }) },
  listTopicEvents: { status: 404 },
  listTopicActivity: { status: 200 },
  listConsumers: { status: 200, answer: [] },
  getSubscriberLimits: { status: 404 },
  setSubscriberLimits: { status: 404, body: () => ({ topics: null }) },
  moveConsumer: { status: 404, body: () => ({ offset: 0 }) },
  // The other site has not selected the connection type API Endpoint.
  importEmails: { status: 400, body: ({ userId }) => [{ userId, handlerType: 1, emails: [] }] },
  importMeetings: { status: 400, body: ({ userId }) => [{ userId, handlerType: 1, meetings: [] }] },
  getImportStatus: { status: 200, query: ({ userId }) => `?userIds=${userId}`, answer: [] },
  getImportSettings: { status: 200 },
  getImportBudget: { status: 200 },
  listImportRuns: { status: 200, answer: [] },
  getImportRun: { status: 404 },
  startRelationshipImport: {
    status: 202,
    body: ({ userId }) => ({ kind: 'emails', items: [{ userId, emails: [] }] }),
  },
  getRelationshipSettings: { status: 200 },
  updateRelationshipSettings: { status: 200, body: () => ({}) },
  listRelationshipUsers: {
    status: 200,
    query: ({ email }) => `?search=${email}`,
    answer: { totalCount: 0, users: [] },
  },
  startRelationshipUserChanges: {
    status: 202,
    body: ({ userId }) => ({ isEnabled: true, userIds: [userId] }),
  },
  getImportActivity: { status: 200, query: ({ userId }) => `?userIds=${userId}`, answer: [] },
  completeHistory: { status: 200, body: ({ userId }) => ({ userIds: [userId] }), answer: { completed: 0 } },
  listExclusions: { status: 200, answer: [] },
  createExclusion: { status: 200, body: () => ({ value: `${crypto.randomUUID()}.test` }) },
  deleteExclusion: { status: 404 },
  tryExclusion: { status: 200, body: ({ email }) => ({ value: email }) },
  listErasures: { status: 200, answer: [] },
  createErasure: { status: 200, body: ({ email }) => ({ address: email }) },
  listRelationships: {
    status: 200,
    query: ({ userId }) => `?userId=${userId}`,
    answer: { totalCount: 0, relationships: [] },
  },
};
