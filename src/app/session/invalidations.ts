import type { Invalidations } from '../../api/invalidation.ts';

/** Writes of sign-in and session. When a session starts, ends or switches the site, the whole cache is cleared (session.ts). */
export const sessionInvalidations = {
  signIn: [],
  signOut: [],
  switchSite: [],
  issueToken: [],
  inspectLink: [],
  setPassword: [],
  createFirstAdministrator: [],
  beginIdentitySignIn: [],
  finishIdentitySignIn: [],
  verifySecondFactor: [],
  beginPasskeySignIn: [],
  signInWithPasskey: [],
  beginPasskeyProof: [],
  provePresence: ['getOwnSecurity'],
} as const satisfies Partial<Invalidations>;
