import { z } from 'zod';
import type { SiteIdentity, SiteIdentityInfo } from '../../../api/generated/types.gen.ts';

export const identitySchema = z
  .object({
    mode: z.enum(['password', 'identity-manager']),
    issuer: z.string().trim().max(500),
    clientId: z.string().trim().max(200),
    clientSecret: z.string().max(500),
    claim: z.string().trim().min(1, 'Name the claim').max(64),
  })
  .superRefine(({ mode, issuer, clientId }, context) => {
    if (mode === 'password') return;
    if (issuer === '') context.addIssue({ code: 'custom', path: ['issuer'], message: 'Give the address' });
    if (clientId === '') context.addIssue({ code: 'custom', path: ['clientId'], message: 'Give the id' });
  });
export type IdentityValues = z.infer<typeof identitySchema>;

export const valuesOf = ({ mode, issuer, clientId, claim }: SiteIdentity): IdentityValues => ({
  mode,
  issuer: issuer ?? '',
  clientId: clientId ?? '',
  clientSecret: '',
  claim,
});

/** What is sent: a secret only where one was typed, so that the stored one stays. */
export const infoOf = ({ clientSecret, issuer, clientId, ...rest }: IdentityValues): SiteIdentityInfo => ({
  ...rest,
  issuer: issuer || null,
  clientId: clientId || null,
  ...(clientSecret !== '' && { clientSecret }),
});
