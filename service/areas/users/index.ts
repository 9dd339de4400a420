/** What other rooms may ask of users. */
export { addAdministrator } from './administrator.ts';
export { userHandlers } from './handlers.ts';
export { FIRST_LICENSE } from './rules.ts';
export { eventOf, shown } from './shown.ts';
export { getUsers, insertAccount, insertMembership, updateMembership } from './store.ts';
