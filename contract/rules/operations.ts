/**
 * POST operations that only read; their parameters are too long for a URL. The console treats them as queries
 * (openapi-ts.config.ts).
 */
export const READ_ONLY_POSTS: ReadonlySet<string> = new Set([
  'getUsersByIds',
  'queryUserActivity',
  'readLastActivity',
  'rehearseApprovedAddresses',
  'readLastActivity',
  'summarizeUserActivity',
  'checkInvitees',
  'filterEntries',
  'readEntryData',
  'readHistoricalData',
  'queryRowsAsOf',
  'queryRowsByBody',
  'findEntries',
  'pollPublication',
  'pollEnvironment',
  'rehearseTopicDefinition',
  'readSchemaImpact',
]);

/** Whether an operation changes something. */
export const isWrite = (operation: { id: string; method: string }): boolean =>
  operation.method !== 'GET' && !READ_ONLY_POSTS.has(operation.id);
