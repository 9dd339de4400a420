import type { QueryClient } from '@tanstack/react-query';
import type * as Operations from './generated/@tanstack/react-query.gen.ts';

type Generated = keyof typeof Operations;
type Named<Suffix extends string> = Generated extends infer Name
  ? Name extends `${infer Id}${Suffix}`
    ? Id
    : never
  : never;

/** Operations that read; their id heads the query key. */
export type ReadOperation = Exclude<Named<'QueryKey'>, `${string}Infinite`>;

/** Operations that change something. The POST operations that only read are not among them. */
export type WriteOperation = Exclude<Named<'Mutation'>, ReadOperation>;

const USERS = [
  'searchUsers',
  'getUser',
  'getUsersByIds',
  'listSchemaUsers',
  'explainAccess',
  'readTwoFactorCoverage',
] as const;
const LICENSES = [
  'getUserLicense',
  'searchUserLicenses',
  'getUserLicenseHistory',
  'listLicenseSeats',
  'listUnusedLicenses',
] as const;
const GROUPS = ['listGroups', 'getGroup'] as const;
const PROXIES = ['listProxies', 'listOwnPrincipals', 'explainAccess'] as const;
const HISTORY = [
  'listEntriesHistory',
  'listEntriesAllHistory',
  'listAllEntriesHistory',
  'listEntryChanges',
  'readEntryLineage',
  'readGoneValues',
  'listChangedEntries',
  'countChangedEntries',
  'readChangeMoments',
] as const;
const ROWS = [
  'queryRows',
  'queryRowsByBody',
  'filterEntries',
  'readEntryData',
  'readHistoricalData',
  'queryRowsAsOf',
] as const;
const ENTRIES = ['listEntries', 'getEntryFile', ...HISTORY, ...ROWS] as const;
const FIELDS = ['listFields', 'listAllFields', 'getField'] as const;
const ENTRY_TYPES = ['listEntryTypes', 'getEntryType'] as const;
const VIEWS = ['listViews', 'getView'] as const;
const PLATFORM = ['listPlatformSites', 'getPlatformSite', 'getSiteIdentity'] as const;
const TOPICS = ['listTopics', 'listTopicDefinitions', 'getTopicDefinition'] as const;

/** What each write makes stale: the one place that says so. */
export const EFFECTS: Record<WriteOperation, readonly ReadOperation[]> = {
  createUser: [...USERS, ...LICENSES, ...GROUPS],
  updateUser: [...USERS, ...GROUPS, 'getSession'],
  removeUser: [...USERS, ...LICENSES, ...GROUPS, ...PROXIES],
  updateUserLicense: [...LICENSES, ...USERS],
  assignGroups: [...USERS, ...GROUPS, 'getSession'],
  unassignGroups: [...USERS, ...GROUPS, 'getSession'],
  // The directory knows the names of groups.
  createGroup: [...GROUPS, 'searchUsers'],
  updateGroup: [...GROUPS, 'searchUsers', 'getSession'],
  deleteGroup: [...GROUPS, ...USERS, 'getSession'],
  createPlatformSite: [...PLATFORM, 'getSession'],
  updatePlatformSite: [...PLATFORM, 'getSiteSettings', 'getSession'],
  updateSiteIdentity: [...PLATFORM, 'getSiteSettings', 'getSession'],
  // Who is signed in is another one: the cache is emptied as when a session begins (shell/session.ts).
  beginIdentitySignIn: [],
  finishIdentitySignIn: [],
  updateApprovedAddresses: ['listApprovedAddresses', 'rehearseApprovedAddresses', 'explainAccess'],
  // Dates are told in the zone of the site.
  updateSiteSettings: ['getSiteSettings', 'getSession', ...ENTRIES],
  updateProxies: PROXIES,
  changeProxies: PROXIES,
  // Acting changes what the session may do and see: the cache is emptied as when a session begins (shell/session.ts).
  beginActing: [],
  endActing: [],
  createInvestigation: ['listInvestigations'],
  updateInvestigation: ['listInvestigations', 'readInvestigation'],
  deleteInvestigation: ['listInvestigations', 'readInvestigation'],
  recordExport: [],
  inviteExistingUser: ['listInvitations'],
  addExistingUser: [...USERS, ...LICENSES, ...GROUPS],
  addExistingUserAlias: [...USERS, ...LICENSES, ...GROUPS],
  resendInvitation: ['listInvitations'],
  revokeInvitation: ['listInvitations'],
  extendInvitation: ['listInvitations'],
  inspectInvitation: [],
  acceptInvitation: [],

  requestBackup: ['listBackups'],
  deleteBackup: ['listBackups'],
  cancelBackup: ['listBackups'],
  verifyBackup: ['listBackups'],
  updateBackupSettings: ['getBackupSettings'],
  createBackupDownload: ['listBackupDownloads'],

  createView: VIEWS,
  updateView: VIEWS,
  deleteView: VIEWS,

  // A type tells how many entries it has.
  createEntries: [...ENTRIES, ...ENTRY_TYPES],
  updateEntries: [...ENTRIES, ...ENTRY_TYPES],
  deleteEntries: [...ENTRIES, ...ENTRY_TYPES],
  mergeEntries: [...ENTRIES, ...ENTRY_TYPES],
  restoreEntries: [...ENTRIES, ...ENTRY_TYPES],
  // A change of the schema raises the site's schemaVersion, which the session tells.
  createEntryType: [...ENTRY_TYPES, 'getSession'],
  updateEntryType: [...ENTRY_TYPES, ...FIELDS, 'getSession'],
  deleteEntryType: [...ENTRY_TYPES, ...FIELDS, ...ENTRIES, 'getSession'],
  createField: [...FIELDS, ...ENTRIES, 'getSession'],
  updateField: [...FIELDS, ...ENTRIES, 'getSession'],
  deleteField: [...FIELDS, ...ENTRIES, 'getSession'],

  importEmails: ['getImportStatus', 'getImportSettings'],
  importMeetings: ['getImportStatus', 'getImportSettings'],
  acknowledgePublication: [],
  createTopicDefinition: TOPICS,
  updateTopicDefinition: TOPICS,
  deleteTopicDefinition: TOPICS,
  startReportRun: ['listReportRuns'],
  callAgentServer: [],
  issueToken: [],

  // A session that begins, ends or moves empties the whole cache (shell/session.ts).
  signIn: [],
  signOut: [],
  switchSite: [],
  inspectLink: [],
  setPassword: [],
  requestPasswordLink: [],
  createFirstAdministrator: [],
  enableApiKey: ['getApiKey'],
  disableApiKey: ['getApiKey'],

  verifySecondFactor: [],
  beginPasskeySignIn: [],
  signInWithPasskey: [],
  beginPasskeyProof: [],
  provePresence: ['getOwnSecurity'],
  beginEnrolment: [],
  confirmEnrolment: ['getOwnSecurity', 'listOwnSessions'],
  regenerateRecoveryCodes: ['getOwnSecurity'],
  beginPasskeyRegistration: [],
  registerPasskey: ['getOwnSecurity'],
  removePasskey: ['getOwnSecurity'],
  changePassword: ['getOwnSecurity', 'listOwnSessions'],
  endOwnSession: ['listOwnSessions'],
  endOtherSessions: ['listOwnSessions'],
  endUserSessions: ['getUserSecurity'],
  resetTwoFactor: ['getUserSecurity', ...USERS],
};

/** Marks what a write changed, and waits until what is on screen has been read again. */
export async function markStale(queryClient: QueryClient, operation: WriteOperation): Promise<void> {
  await Promise.all(EFFECTS[operation].map((_id) => queryClient.invalidateQueries({ queryKey: [{ _id }] })));
}
