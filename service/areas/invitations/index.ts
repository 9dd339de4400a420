/** Invitations, members added without confirmation, and the end of temporary memberships. */
export { isInDomain, normalizeDomain } from './domain.ts';
export { membershipExpiryTask } from './membership-expiry.ts';
