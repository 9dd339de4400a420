/** What other rooms may ask of invitations. */
export { invitationHandlers } from './handlers.ts';
