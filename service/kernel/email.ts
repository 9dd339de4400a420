import { domainToASCII } from 'node:url';

/** One address, without a display name. @returns whether the text is that */
export const isEmailAddress = (text: string): boolean => /^[^\s\p{C}<>,;@]+@[^\s\p{C}<>,;@]+$/u.test(text);

/** An e-mail address as stored, and its key: equal for all spellings of one address. */
export function normalizeEmail(text: string): { email: string; key: string } {
  const email = text.trim().normalize('NFC');
  const atIndex = email.lastIndexOf('@');
  const domain = email.slice(atIndex + 1).toLowerCase();
  return { email, key: `${email.slice(0, atIndex).toLowerCase()}@${domainToASCII(domain) || domain}` };
}

/** The key of an address, or a domain in the same spelling: in lower case, in ASCII. */
export const toAddressKey = (value: string): string =>
  value.includes('@') ? normalizeEmail(value).key : domainToASCII(value) || value.toLowerCase();
