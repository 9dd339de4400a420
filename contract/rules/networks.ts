const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(\\.${OCTET}){3}$`);
const PREFIX = /^(0|[1-9]\d{0,2})$/;

// The URL parser validates the address; it accepts no zone such as %eth0.
const isIPv6 = (text: string): boolean =>
  /^[\da-f.:]+$/i.test(text) && text.includes(':') && URL.canParse(`http://[${text}]/`);

/** Whether the address is an IPv4-mapped one in any notation, such as 0:0:0:0:0:ffff:a00:1. */
const isIPv4Mapped = (text: string): boolean => new URL(`http://[${text}]/`).hostname.startsWith('[::ffff:');

/** Why a text is neither an IP address nor a network in CIDR notation (spec 5.4); undefined if it is one. */
export function validateNetwork(text: string): string | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = IPV4.test(address) ? 32 : isIPv6(address) ? 128 : undefined;
  if (bits === undefined || rest.length > 0)
    return 'must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24';
  // The service sees IPv4 clients with their IPv4 address, so such an entry would never match.
  if (bits === 128 && isIPv4Mapped(address))
    return 'is an IPv4 address in the form of IPv6: write it as IPv4';
  if (prefix !== undefined && (!PREFIX.test(prefix) || Number(prefix) > bits))
    return `must end in a number from 0 to ${bits} after the slash`;
  return undefined;
}
