import { z } from 'zod';
import type { PresenceProof, ProofMethod } from '../../api/generated/types.gen.ts';

/** What is typed of a proof; a passkey is not typed. */
export type TypedMethod = Exclude<ProofMethod, 'passkey'>;

interface TypedField {
  name: 'code' | 'recoveryCode' | 'password';
  label: string;
  hint: string;
  schema: z.ZodType<string, string>;
}

const bare = z.string().transform((text) => text.replaceAll(/\s/g, ''));
/** Apps show it in two groups; the service takes six digits and nothing else. */
export const typedCode = bare.pipe(z.string().regex(/^\d{6}$/, 'Type the six digits that the app shows'));

/** The field of each typed proof. */
export const TYPED: Readonly<Record<TypedMethod, TypedField>> = {
  code: {
    name: 'code',
    label: 'Code of the authenticator app',
    hint: 'Six digits. Each code works once.',
    schema: typedCode,
  },
  'recovery-code': {
    name: 'recoveryCode',
    label: 'Recovery code',
    hint: 'One of those that you kept when you set up the app. Each works once.',
    schema: z.string().min(16, 'A recovery code has 16 letters and digits').max(40),
  },
  password: {
    name: 'password',
    label: 'Password',
    hint: '',
    schema: z.string().min(1).max(128),
  },
};

/** The other ways, as the buttons name them. */
export const OTHER_WAY: Readonly<Record<ProofMethod, string>> = {
  code: 'Use a code of the app',
  'recovery-code': 'Use a recovery code',
  password: 'Use the password',
  passkey: 'Use a passkey',
};

/** What is sent of a typed proof. */
export const proofOf = (method: TypedMethod, typed: string): PresenceProof => ({
  [TYPED[method].name]: typed,
});
