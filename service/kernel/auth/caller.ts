import type { Capability, Scope } from '../../../contract/generated/types.gen.ts';

/** Who makes a request, on which site, with which rights; made anew from the database for each request. */
export interface Caller {
  siteId: number;
  userId: number;
  email: string;
  capabilities: ReadonlySet<Capability>;
  /** Scopes of the access token; undefined through the browser's door, where capabilities alone decide. */
  scopes: ReadonlySet<Scope> | undefined;
  /** Hash of the session or access token, so that sign-out ends exactly this one. */
  tokenHash: Buffer;
  expiresAt: Date;
}

/** What a request says about its origin, for audit, activity and limits. */
export interface Origin {
  requestId: string;
  ip: string;
  userAgent: string | undefined;
}
