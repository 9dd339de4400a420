import { isIPv4, isIPv6 } from 'node:net';
import type { FieldError } from '../../kernel/http/errors.ts';

const MAPPED = /^::ffff:/i;
const PREFIX = /^(0|[1-9]\d{0,2})$/;

/** Why a text is no address and no network in CIDR notation, or undefined. */
export function networkFault(text: string): string | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = isIPv4(address) ? 32 : isIPv6(address) && !address.includes('%') ? 128 : undefined;
  if (bits === undefined || rest.length > 0)
    return 'must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24';
  // Clients of IPv4 are seen with their IPv4 address, never with this one.
  if (MAPPED.test(address)) return 'is an IPv4 address in the form of IPv6: write it as IPv4';
  if (prefix !== undefined && (!PREFIX.test(prefix) || Number(prefix) > bits))
    return `must end in a number from 0 to ${bits} after the slash`;
  return undefined;
}

/** The faults of all networks, each at its path. */
export const networkFaults = (networks: readonly string[], pathOf: (index: number) => string): FieldError[] =>
  networks.flatMap((network, index) => {
    const message = networkFault(network);
    return message === undefined ? [] : [{ path: pathOf(index), message }];
  });
