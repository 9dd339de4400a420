// Names of read operations that become stale together; areas list them in their invalidations.

/** Reads that show data of users. */
export const USER_READS = [
  'searchUsers',
  'getUser',
  'getUsersByIds',
  'listSchemaUsers',
  'explainAccess',
  'readTwoFactorCoverage',
] as const;
/** Reads that show licenses of users. */
export const LICENSE_READS = [
  'getUserLicense',
  'searchUserLicenses',
  'getUserLicenseHistory',
  'listLicenseSeats',
  'forecastLicenseSeats',
  'listSeatTotals',
  'listUnusedLicenses',
] as const;
/** Reads that show groups and their counts. */
export const GROUP_READS = ['listGroups', 'getGroup'] as const;
/** Reads that depend on proxy assignments. */
export const PROXY_READS = ['listProxies', 'listOwnPrincipals', 'explainAccess'] as const;
const HISTORY_READS = [
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
const ROW_READS = [
  'queryRows',
  'queryRowsByBody',
  'filterEntries',
  'readEntryData',
  'readHistoricalData',
  'queryRowsAsOf',
] as const;
/** Reads that show entries, their values or their history. */
export const ENTRY_READS = ['listEntries', 'getEntryFile', ...HISTORY_READS, ...ROW_READS] as const;
/** Reads of the fields of entry types. */
export const FIELD_READS = ['listFields', 'listAllFields', 'getField'] as const;
/** Reads of entry types, which show their numbers of entries, and of those numbers by day. */
export const ENTRY_TYPE_READS = [
  'listEntryTypes',
  'listEntryTypeStatistics',
  'getEntryType',
  'listSiteFigures',
] as const;
/** Reads of saved views. */
export const VIEW_READS = ['listViews', 'getView'] as const;
/** Reads of the sites of the platform. */
export const PLATFORM_READS = ['listPlatformSites', 'getPlatformSite', 'getSiteIdentity'] as const;
/** Reads of publication topics. */
export const TOPIC_READS = ['listTopics', 'listTopicDefinitions', 'getTopicDefinition'] as const;
