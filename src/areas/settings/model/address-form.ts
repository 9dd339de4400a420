import { z } from 'zod';
import { networkFault } from '../../../../contract/rules/networks.ts';
import type { ApprovedAddress, RehearsedPlace } from '../../../api/generated/types.gen.ts';

const MOST_ADDRESSES = 1000;

/** A line that is left empty is no address; everything else has to be one. */
export const addressesSchema = z.object({
  addresses: z
    .array(
      z.object({ network: z.string().trim(), note: z.string().trim().max(200, 'At most 200 characters') }),
    )
    .max(MOST_ADDRESSES, `At most ${MOST_ADDRESSES} addresses`)
    .superRefine((addresses, context) => {
      const seen = new Set<string>();
      for (const [at, { network, note }] of addresses.entries()) {
        if (network === '' && note === '') continue;
        const fault = seen.has(network) ? 'is in the list already' : networkFault(network);
        if (fault !== undefined)
          context.addIssue({ code: 'custom', path: [at, 'network'], message: sentence(fault) });
        seen.add(network);
      }
    }),
});
export type AddressValues = z.infer<typeof addressesSchema>;

const sentence = (fault: string): string => `This ${fault}`;

export const valuesOf = (addresses: readonly ApprovedAddress[]): AddressValues => ({
  addresses: addresses.map(({ network, note }) => ({ network, note })),
});

/** What is sent: without the lines that are empty. */
export const filled = ({ addresses }: AddressValues) =>
  addresses
    .map(({ network, note }) => ({ network: network.trim(), note }))
    .filter(({ network }) => network !== '');

/** The networks to rehearse; undefined while one of them is none. */
export function rehearsable(values: AddressValues): string[] | undefined {
  const networks = filled(values).map(({ network }) => network);
  return networks.every((network) => networkFault(network) === undefined) ? networks : undefined;
}

/** Each person once, with the addresses from which they came. */
export function byPerson(places: readonly RehearsedPlace[]) {
  const people = new Map<number, { person: RehearsedPlace; from: RehearsedPlace[] }>();
  for (const place of places) {
    const known = people.get(place.userId);
    if (known) known.from.push(place);
    else people.set(place.userId, { person: place, from: [place] });
  }
  return [...people.values()];
}
