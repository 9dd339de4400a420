import { z } from 'zod';
import type { PresenceProof, ProofMethod } from '../../../contract/generated/types.gen.ts';

/** Proof methods with a text field. */
export type TypedMethod = Exclude<ProofMethod, 'passkey'>;

interface TypedField {
  name: 'code' | 'recoveryCode' | 'password';
  label: string;
  hint: string;
  schema: z.ZodType<string, string>;
}

const textWithoutSpaces = z.string().transform((text) => text.replaceAll(/\s/g, ''));
/** Schema of a code: apps show it in two groups, the service accepts only six digits. */
export const codeSchema = textWithoutSpaces.pipe(
  z.string().regex(/^\d{6}$/, 'Enter the six digits shown in the app'),
);

/** Field of each typed proof method. */
export const PROOF_FIELDS: Readonly<Record<TypedMethod, TypedField>> = {
  code: {
    name: 'code',
    label: 'Authenticator code',
    hint: 'Six digits. Each code works once.',
    schema: codeSchema,
  },
  'recovery-code': {
    name: 'recoveryCode',
    label: 'Recovery code',
    hint: 'One of the codes you saved when you set up the app. Each works once.',
    schema: z.string().min(16, 'A recovery code has 16 letters and digits').max(40),
  },
  password: {
    name: 'password',
    label: 'Password',
    hint: '',
    schema: z.string().min(1).max(128),
  },
};

/** Button labels for switching to another method. */
export const OTHER_METHOD_LABELS: Readonly<Record<ProofMethod, string>> = {
  code: 'Use an authenticator code',
  'recovery-code': 'Use a recovery code',
  password: 'Use your password',
  passkey: 'Use a passkey',
};

/** Builds the request body of a typed proof. */
export const toPresenceProof = (method: TypedMethod, typed: string): PresenceProof => ({
  [PROOF_FIELDS[method].name]: typed,
});
