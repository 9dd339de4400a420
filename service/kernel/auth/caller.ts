import type { Capability, Scope } from '../../../contract/generated/types.gen.ts';
import type { PendingStep } from '../db/tables/index.ts';

/** The principal for whom a proxy acts, and the acting report that records it (shapes 1, As-User). */
interface ActingContext {
  principalId: number;
  principalEmail: string;
  reportId: number;
}

/** The authenticated user of a request with site and rights; read from the database for each request. */
export interface Caller {
  siteId: number;
  /** The user who signed in; the proxy when acting for a principal. */
  userId: number;
  email: string;
  /** Set while acting for a principal; `capabilities` are then the principal's capabilities that can be delegated. */
  acting: ActingContext | undefined;
  capabilities: ReadonlySet<Capability>;
  /** Scopes of the access token; undefined in the session API, where only capabilities count. */
  scopes: ReadonlySet<Scope> | undefined;
  /** Client id of the API key that obtained the access token; undefined in the session API. */
  clientId: number | undefined;
  /** Whether the session has a proof of presence that is still valid (ten minutes). */
  hasProofOfPresence: boolean;
  /** Whether the identity manager of the site opened the session; such sessions cannot affect other sites. */
  isFederated: boolean;
  /** The missing step of a half-completed sign-in, which may only call the operations that complete it. */
  pending: PendingStep | undefined;
  /** Hash of the session or access token, so that signing out ends exactly this session. */
  tokenHash: Buffer;
  expiresAt: Date;
}

/** The user to whom the site attributes a change: the principal when a proxy acts (spec 6 rule 5). */
export const getAuthor = ({ userId, email, acting }: Caller): { userId: number; email: string } =>
  acting ? { userId: acting.principalId, email: acting.principalEmail } : { userId, email };

/** Client address of a request for which a trusted proxy reported none that is valid. No network contains it. */
export const UNKNOWN_ADDRESS = 'unknown';

/** Origin of a request, for the audit log, the activity report and rate limits. */
export interface RequestOrigin {
  requestId: string;
  /** The client address, or UNKNOWN_ADDRESS. */
  ip: string;
  userAgent: string | undefined;
}
