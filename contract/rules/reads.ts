/**
 * Operations that read although they are POST: what they ask for is too long for a query. The console treats them as
 * queries (openapi-ts.config.ts).
 */
export const READING_POSTS: ReadonlySet<string> = new Set([
  'getUsersByIds',
  'queryUserActivity',
  'rehearseApprovedAddresses',
  'summarizeUserActivity',
  'checkInvitees',
  'filterEntries',
  'readEntryData',
  'readHistoricalData',
  'queryRowsAsOf',
  'queryRowsByBody',
  'pollPublication',
]);

/** Whether an operation changes something. */
export const isWrite = (operation: { id: string; method: string }): boolean =>
  operation.method !== 'GET' && !READING_POSTS.has(operation.id);
