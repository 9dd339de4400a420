import { domainToASCII } from 'node:url';

/** An e-mail address as kept, and the form in which two spellings of one address are equal. */
export function normaliseEmail(text: string): { email: string; key: string } {
  const email = text.trim().normalize('NFC');
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1).toLowerCase();
  return { email, key: `${email.slice(0, at).toLowerCase()}@${domainToASCII(domain) || domain}` };
}
