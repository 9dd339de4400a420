import { assignmentHandlers } from './handlers.ts';
import { reportHandlers } from './reports.ts';

/** Assignments and reports; what a session does with them stands with the sessions (gateway/acting.ts). */
export const proxyHandlers = { ...assignmentHandlers, ...reportHandlers };
export { beginActing, describeActing, endActing, NO_ASSIGNMENT, openDay, principalsOf } from './acting.ts';
export { proxiesLeave } from './leave.ts';
export { keepSteps } from './steps.ts';
