/** What other rooms may ask of how people prove who they are. */
export { beginAuthenticator, confirmAuthenticator } from './authenticator.ts';
export { readFactors, type Factors } from './factors.store.ts';
export { isPasskeyOf, proofOptions, takePasskeyProof } from './passkeys.ts';
export {
  countCodeTry,
  forgetCodeTries,
  proofMethods,
  secondFactorMethods,
  takeProof,
  wrongProof,
} from './proofs.ts';
export { mailSecurityChange } from './mails.ts';
export { makeRecoveryCodes } from './recovery.ts';
export { factorsChanged, forgetFactors } from './changed.ts';
export { ownAccessHandlers } from './own.ts';
export { userAccessHandlers } from './users.ts';
export { coverageHandlers } from './coverage.ts';
