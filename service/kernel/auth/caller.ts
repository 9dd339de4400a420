import type { Capability, Scope } from '../../../contract/generated/types.gen.ts';

import type { PendingStep } from '../db/tables.ts';

/** For whom a proxy acts, and the report that it is written into (shapes 1, As-User). */
interface Acting {
  principalId: number;
  principalEmail: string;
  reportId: number;
}

/** Who makes a request, on which site, with which rights; made anew from the database for each request. */
export interface Caller {
  siteId: number;
  /** Who really makes it, whoever it is made for. */
  userId: number;
  email: string;
  /** The person for whom it is made; then `capabilities` are those of that person that can be passed on. */
  acting: Acting | undefined;
  capabilities: ReadonlySet<Capability>;
  /** Scopes of the access token; undefined through the browser's door, where capabilities alone decide. */
  scopes: ReadonlySet<Scope> | undefined;
  /** The API key behind the access token; undefined through the browser's door. */
  clientId: number | undefined;
  /** Whether the session has seen a proof within ten minutes that it is still the person. */
  isProven: boolean;
  /**
   * Whether the identity manager of the site opened the session: its word counts on that site, and for nothing that the
   * person is beyond it.
   */
  isFederated: boolean;
  /** What a sign-in still lacks; such a caller reaches nothing but the operations for that. */
  pending: PendingStep | undefined;
  /** Hash of the session or access token, so that sign-out ends exactly this one. */
  tokenHash: Buffer;
  expiresAt: Date;
}

/** Whose doing it is in the eyes of the site: the principal's where a proxy acts (spec 6 rule 5). */
export const authorOf = ({ userId, email, acting }: Caller): { userId: number; email: string } =>
  acting ? { userId: acting.principalId, email: acting.principalEmail } : { userId, email };

/** What a request says about its origin, for audit, activity and limits. */
export interface Origin {
  requestId: string;
  ip: string;
  userAgent: string | undefined;
}
