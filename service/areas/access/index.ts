import { coverageHandlers, ownAccessHandlers, userAccessHandlers } from './handlers.ts';

/** Second factors, passkeys, recovery codes and sessions of users. */
export const accessHandlers = { ...ownAccessHandlers, ...userAccessHandlers, ...coverageHandlers };
export { confirmAuthenticatorSetup, createRecoveryCodes, startAuthenticatorSetup } from './codes.ts';
export { changeFactors, mailSecurityChange, resetFactors } from './factor-changes.ts';
export { readFactors, type Factors } from './factors.store.ts';
export { consumePasskeyProof, createProofOptions, hasPasskey } from './passkeys.ts';
export {
  clearCodeAttempts,
  consumeProof,
  countCodeAttempt,
  getProofMethods,
  getSecondFactorMethods,
  wrongProofError,
} from './proofs.ts';
