/** What other rooms may ask of invitations. */
export { normaliseDomain } from './domain.ts';
export { endsChore } from './ends.ts';
export { invitationHandlers } from './handlers.ts';
