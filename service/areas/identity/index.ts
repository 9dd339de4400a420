export { namedHere } from './attempts.store.ts';
export { readIdentity, updateIdentity } from './settings.ts';
export { beginIdentity, finishIdentity, identitySignOut } from './sign-in.ts';
