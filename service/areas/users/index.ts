/** Users: accounts, memberships and the explanation of their access. */
export { addAdministrator, mailPasswordLink } from './accounts.ts';
export { removeUser } from './remove.ts';
export { checkPerson } from './rules.ts';
export { insertAccount, insertMembership, setMembershipFields } from './users.store.ts';
