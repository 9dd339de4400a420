export { selectFederationId } from './identity.store.ts';
export { readIdentity, updateIdentity } from './settings.ts';
export { startIdentitySignIn, finishIdentitySignIn, getIdentitySignOutUrl } from './sign-in.ts';
