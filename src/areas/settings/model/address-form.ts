import { z } from 'zod';
import type { ApprovedAddress } from '../../../../contract/generated/types.gen.ts';
import { validateNetwork } from '../../../../contract/rules/networks.ts';
import { ServiceError } from '../../../api/errors.ts';
import { formatNumber } from '../../../lib/numbers.ts';

const MAX_ADDRESSES = 1000;

const isFilled = ({ network }: { network: string }): boolean => network.trim() !== '';

/** Validation of the list. Empty lines are ignored; all others must be a unique address or network. */
export const addressesSchema = z.object({
  addresses: z
    .array(
      z.object({ network: z.string().trim(), note: z.string().trim().max(200, 'At most 200 characters') }),
    )
    .superRefine((addresses, context) => {
      if (addresses.filter(isFilled).length > MAX_ADDRESSES)
        context.addIssue({ code: 'custom', message: `At most ${formatNumber(MAX_ADDRESSES)} addresses` });
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
  addresses.map(({ network, note }) => ({ network: network.trim(), note })).filter(isFilled);

/** The error of a request with `toAddresses`, with its fields at the lines of the form: empty lines are not sent. */
export function toLineErrors(error: ServiceError, { addresses }: AddressValues): ServiceError {
  const lines = addresses.flatMap((line, at) => (isFilled(line) ? [at] : []));
  const fields = error.fields.map(({ path, message }) => ({
    path: path.replace(/(?<=^addresses\.)\d+/, (index) => String(lines[Number(index)] ?? index)),
    message,
  }));
  return new ServiceError(error.status, error.message, fields, error.requestId, error.code);
}

/** Networks to rehearse; undefined while one of them is invalid. */
export function getValidNetworks(values: AddressValues): string[] | undefined {
  const networks = toAddresses(values).map(({ network }) => network);
  return networks.every((network) => validateNetwork(network) === undefined) ? networks : undefined;
}
