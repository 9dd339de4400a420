import { assignmentHandlers, reportHandlers } from './handlers.ts';

/** Proxy assignments and acting reports. The operations of a session that acts are in gateway/session.ts. */
export const proxyHandlers = { ...assignmentHandlers, ...reportHandlers };
export {
  beginActing,
  describeActing,
  endActing,
  NO_ASSIGNMENT_MESSAGE,
  openDailyReport,
  listPrincipals,
} from './acting.ts';
export { recordAssignmentsOfRemovedUser } from './assignments.ts';
export { createAuditTrail } from './audit-trail.ts';
