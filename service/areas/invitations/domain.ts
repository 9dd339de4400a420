import { domainToASCII } from 'node:url';

/**
 * Normalizes a domain so that equal domains have equal spellings: IDNA, lower case, no trailing dot. Returns undefined
 * for anything that is not a domain name; parsing it as a URL would cut `a.example/b` at the slash and decode
 * `%61.example`.
 */
export function normalizeDomain(text: string): string | undefined {
  const lowerCased = text.trim().toLowerCase();
  if (/[^a-z\d.\-\u{80}-\u{10FFFF}]/u.test(lowerCased)) return undefined;
  const ascii = domainToASCII(lowerCased).replace(/\.$/, '');
  const labels = ascii.split('.');
  const isDomain = labels.every((label) => /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/.test(label));
  // Labels of digits alone form an IP address, which is not a mail domain.
  return isDomain && labels.length > 1 && !/^\d+$/.test(labels.at(-1) ?? '') ? ascii : undefined;
}

/**
 * Whether the address belongs to the dedicated domain itself, not to a subdomain or to a domain with the same ending
 * (spec 4.2 rule 2).
 */
export function isInDomain(email: string, dedicatedDomain: string | null): boolean {
  if (dedicatedDomain === null) return false;
  const domain = normalizeDomain(email.slice(email.lastIndexOf('@') + 1));
  return domain !== undefined && domain === normalizeDomain(dedicatedDomain);
}
