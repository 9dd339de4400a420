import { emailKey } from '../../../files/email-key.ts';

/** What a row of a file says for its address alone. */
export interface OwnTerms {
  type?: number;
  days?: number;
  /** By their names. */
  groups?: readonly string[];
}

/** An address of the text, or what was meant as one. */
export interface Entry {
  email: string;
  /** Equal for two spellings of one address. */
  key: string;
  /** Why nothing can be done with it. */
  fault?: string | undefined;
  own?: OwnTerms | undefined;
}

export const NOT_AN_ADDRESS = 'This is not an e-mail address';

export const entryOf = (email: string, own?: OwnTerms): Entry => ({ email, key: emailKey(email), own });

export const faulty = (email: string, fault = NOT_AN_ADDRESS): Entry => ({
  email,
  key: emailKey(email),
  fault,
});
