import { domainToASCII } from 'node:url';

/**
 * A domain in the one form in which two spellings of it are equal: IDNA, lower case, without the dot of the root.
 * Undefined for what is none: the reading of a URL would cut `a.example/b` at the slash and decode `%61.example`.
 */
export function normaliseDomain(text: string): string | undefined {
  const plain = text.trim().toLowerCase();
  if (/[^a-z\d.\-\u{80}-\u{10FFFF}]/u.test(plain)) return undefined;
  const ascii = domainToASCII(plain).replace(/\.$/, '');
  const labels = ascii.split('.');
  const isDomain = labels.every((label) => /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/.test(label));
  // Numbers alone are an address of the network, which is nobody's mail domain.
  return isDomain && labels.length > 1 && !/^\d+$/.test(labels.at(-1) ?? '') ? ascii : undefined;
}

/**
 * Whether the address is of the dedicated domain itself: never of one below it, and never of one that only ends alike
 * (spec 4.2 rule 2).
 */
export function isOfDomain(email: string, dedicatedDomain: string | null): boolean {
  if (dedicatedDomain === null) return false;
  const domain = normaliseDomain(email.slice(email.lastIndexOf('@') + 1));
  return domain !== undefined && domain === normaliseDomain(dedicatedDomain);
}
