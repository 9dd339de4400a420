/** What other rooms may ask of users. */
export { addAdministrator } from './administrator.ts';
export { userHandlers } from './handlers.ts';
export { checkPerson } from './rules.ts';
export { insertAccount, insertMembership, updateMembership } from './store.ts';
export { mailPasswordLink } from './password-mail.ts';
