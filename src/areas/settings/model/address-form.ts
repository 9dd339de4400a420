import { z } from 'zod';
import type { ApprovedAddress } from '../../../../contract/generated/types.gen.ts';
import { validateNetwork } from '../../../../contract/rules/networks.ts';

const MAX_ADDRESSES = 1000;

/** Validation of the list. Empty lines are ignored; all others must be a unique address or network. */
export const addressesSchema = z.object({
  addresses: z
    .array(
      z.object({ network: z.string().trim(), note: z.string().trim().max(200, 'At most 200 characters') }),
    )
    .max(MAX_ADDRESSES, `At most ${MAX_ADDRESSES} addresses`)
    .superRefine((addresses, context) => {
      const seen = new Set<string>();
      for (const [at, { network, note }] of addresses.entries()) {
        if (network === '' && note === '') continue;
        const fault = seen.has(network) ? 'is in the list already' : validateNetwork(network);
        if (fault !== undefined)
          context.addIssue({ code: 'custom', path: [at, 'network'], message: toSentence(fault) });
        seen.add(network);
      }
    }),
});
export type AddressValues = z.infer<typeof addressesSchema>;

const toSentence = (fault: string): string => `This ${fault}`;

export const toAddressValues = (addresses: readonly ApprovedAddress[]): AddressValues => ({
  addresses: addresses.map(({ network, note }) => ({ network, note })),
});

/** Adds a line for a network that a link names, unless the list has it. */
export const addNetwork = (values: AddressValues, network: string | undefined): AddressValues =>
  network === undefined || values.addresses.some((each) => each.network === network)
    ? values
    : { addresses: [...values.addresses, { network, note: '' }] };

/** Request body: all lines that are not empty. */
export const toAddresses = ({ addresses }: AddressValues) =>
  addresses
    .map(({ network, note }) => ({ network: network.trim(), note }))
    .filter(({ network }) => network !== '');

/** Networks to rehearse; undefined while one of them is invalid. */
export function getValidNetworks(values: AddressValues): string[] | undefined {
  const networks = toAddresses(values).map(({ network }) => network);
  return networks.every((network) => validateNetwork(network) === undefined) ? networks : undefined;
}
