import type { Capability } from '../../generated/types.gen.ts';

/** Least number of characters of a reason for acting. */
export const MIN_REASON_LENGTH = 3;

/** Capabilities that a proxy never gets from the principal: administration of users, security, backups and proxies (T06). */
const NON_DELEGABLE: ReadonlySet<Capability> = new Set<Capability>([
  'Manage Users',
  'Manage Groups',
  'Manage Licences',
  'Manage Proxies',
  'Manage Existing Users',
  'Manage Backups',
  'Manage Settings',
]);

/** The capabilities of a proxy who acts for a principal: the principal's capabilities that can be delegated. */
export function getActingCapabilities(held: Iterable<Capability>): Set<Capability> {
  return new Set([...held].filter((capability) => !NON_DELEGABLE.has(capability)));
}

/** Operations of the session itself that stay available while acting. `beginActing` rejects acting chains itself. */
const SESSION_OPERATIONS: ReadonlySet<string> = new Set([
  'getSession',
  'getSiteBrand',
  'beginActing',
  'endActing',
  'signOut',
]);

/** Operations on jobs. While acting they concern the jobs begun while acting for the same principal. */
const JOB_OPERATIONS: ReadonlySet<string> = new Set([
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
]);

/** Operations that export data. */
const DOWNLOAD_OPERATIONS: ReadonlySet<string> = new Set([
  'recordExport',
  'getEntryFile',
  'downloadReport',
  'previewReport',
  'startReportRun',
  'createReportSchedule',
  'updateReportSchedule',
  'deleteReportSchedule',
  'downloadBackup',
  'createBackupDownload',
  'startEntryExport',
  'startUserExport',
  'startActivityExport',
  'startActingReportExport',
  'createJobFileLink',
  'downloadJobFile',
]);

/** Operations that create, change or end a credential, which would outlive the assignment. */
const CREDENTIAL_OPERATIONS: ReadonlySet<string> = new Set([
  'createAgentKey',
  'updateAgentKey',
  'revokeAgentKey',
  'describeAgentAuthorization',
  'approveAgentAuthorization',
]);

/** Whether an operation needs no capability, because it only concerns the caller, such as the caller's own API key. */
const isAboutCallerOnly = (capabilities: readonly string[]): boolean =>
  capabilities.every((capability) => capability === 'Access Web Service');

/**
 * Why an operation is not available while acting, or undefined if it is. Excluded are exports, keys of agents, and operations on the caller's own
 * account, session and API key.
 */
export function getActingRefusal(operation: {
  id: string;
  capabilities: readonly string[];
}): string | undefined {
  if (DOWNLOAD_OPERATIONS.has(operation.id))
    return 'Exports and downloads are not available while you act for another user';
  if (CREDENTIAL_OPERATIONS.has(operation.id))
    return 'Agent keys and connected clients cannot be changed while you act for another user: stop acting first';
  if (
    isAboutCallerOnly(operation.capabilities) &&
    !SESSION_OPERATIONS.has(operation.id) &&
    !JOB_OPERATIONS.has(operation.id)
  )
    return 'Your own account and session cannot be changed while you act for another user: stop acting first';
  return undefined;
}
