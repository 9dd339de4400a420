import { toAddressKey } from '../../../kernel/email.ts';

/** Addresses and domains that an import treats specially. */
export interface AddressRules {
  /** Excluded addresses and domains. */
  exclusions: readonly string[];
  /** Domains of the organization. */
  internalDomains: readonly string[];
  /** Addresses of the users of the site, as items have them. */
  userAddresses: readonly string[];
}

/** What the rules say about one address. */
export interface AddressKind {
  /** The address in lower case. */
  key: string;
  isExcluded: boolean;
  isInternal: boolean;
}

/** Whether the set has the domain or one that it is a subdomain of. */
function hasDomain(domains: ReadonlySet<string>, domain: string): boolean {
  for (let rest = domain; rest !== '';) {
    if (domains.has(rest)) return true;
    const dot = rest.indexOf('.');
    if (dot === -1) return false;
    rest = rest.slice(dot + 1);
  }
  return false;
}

/** Classifies addresses by the rules; remembers each, because the same addresses occur again and again. */
export function createAddressBook(rules: AddressRules): (address: string) => AddressKind {
  const exclusions = new Set(rules.exclusions.map(toAddressKey));
  const internalDomains = new Set(rules.internalDomains.map(toAddressKey));
  const users = new Set(rules.userAddresses);
  const known = new Map<string, AddressKind>();
  return (text) => {
    const found = known.get(text);
    if (found) return found;
    const address = text.toLowerCase();
    const domain = address.slice(address.lastIndexOf('@') + 1);
    const kind = {
      key: address,
      isExcluded: exclusions.has(address) || hasDomain(exclusions, domain),
      isInternal: users.has(address) || hasDomain(internalDomains, domain),
    };
    known.set(text, kind);
    return kind;
  };
}
